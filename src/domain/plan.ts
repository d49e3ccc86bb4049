/** The plans of an account, from the smallest to the largest. */
export const PLANS = ['free', 'pro', 'elite'] as const;
export type Plan = (typeof PLANS)[number];
