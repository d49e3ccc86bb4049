/** The tiers of a lead, hottest first (spec §3.4). */
export const TIERS = ['hot', 'warm', 'moderate', 'cold'] as const;
export type Tier = (typeof TIERS)[number];

/** The lowest score of each tier; that of moderate is fixed by spec §3.4. */
export const TIER_FLOORS: Readonly<Record<Tier, number>> = {
  hot: 80,
  warm: 60,
  moderate: 40,
  cold: 0,
};

/** How a tier is shown. */
export const TIER_LABELS: Readonly<Record<Tier, string>> = {
  hot: 'Hot',
  warm: 'Warm',
  moderate: 'Moderate',
  cold: 'Cold',
};

/** The tier of a score from 0 to 100. */
export function tierOf(score: number): Tier {
  return TIERS.find((tier) => score >= TIER_FLOORS[tier]) ?? 'cold';
}
