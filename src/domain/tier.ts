/** The tiers of a lead, hottest first (spec §3.4). */
export const TIERS = ['hot', 'warm', 'moderate', 'cold'] as const;
export type Tier = (typeof TIERS)[number];
