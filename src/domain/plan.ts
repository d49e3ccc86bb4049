/** The plans of an account, from the smallest to the largest. */
export const PLANS = ['free', 'pro', 'elite'] as const;
export type Plan = (typeof PLANS)[number];

/** Whether a plan carries what needs at least another one. */
export function planIncludes(plan: Plan, needed: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(needed);
}

/** The smallest plan whose accounts may hold Read API keys (spec §5.1). */
export const API_PLAN: Plan = 'pro';

/** The smallest plan that carries purchased contacts, in events and in the Read API (spec §6.2). */
export const CONTACTS_PLAN: Plan = 'pro';
