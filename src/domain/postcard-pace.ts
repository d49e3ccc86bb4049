const DAY_MS = 86_400_000;

/** How long the print vendor takes, in milliseconds. */
export interface PostcardPace {
  /** From the order to the post. */
  productionMs: number;
  /** From the post to the letter boxes, as an estimate. */
  deliveryMs: number;
}

/** Two days in production, five in the post. */
export const POSTCARD_PACE: PostcardPace = {
  productionMs: 2 * DAY_MS,
  deliveryMs: 5 * DAY_MS,
};
