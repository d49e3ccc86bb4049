/** The states of a postcard campaign, in the order it moves through them (spec §3.3). */
export const POSTCARD_STATES = ['draft', 'production', 'mailed', 'delivered_est'] as const;
export type PostcardState = (typeof POSTCARD_STATES)[number];

/** How a state is shown (spec §3.3). */
export const POSTCARD_STATE_LABELS: Readonly<Record<PostcardState, string>> = {
  draft: 'Draft',
  production: 'In production',
  mailed: 'Mailed',
  delivered_est: 'Est. delivered',
};

/** The one state that a campaign may move to from here: forward, and one at a time; null at the end. */
export function nextPostcardState(state: PostcardState): PostcardState | null {
  return POSTCARD_STATES[POSTCARD_STATES.indexOf(state) + 1] ?? null;
}
