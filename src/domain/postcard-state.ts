/** The states of a postcard campaign, in the order it moves through them (spec §3.3). */
export const POSTCARD_STATES = ['draft', 'production', 'mailed', 'delivered_est'] as const;
export type PostcardState = (typeof POSTCARD_STATES)[number];
