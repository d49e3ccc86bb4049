/** The ways in which an account holds a lead (spec §2.3). */
export const HELD_VIA = ['purchased', 'saved'] as const;
export type HeldVia = (typeof HELD_VIA)[number];
