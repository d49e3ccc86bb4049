import type { Plan } from './plan.ts';

/** What a parcel can be called a lead for: how it is shown, and the smallest plan that sees it. */
export const LEAD_TYPES = {
  probate: { label: 'Probate', plan: 'elite' },
  'pre-foreclosure': { label: 'Pre-foreclosure', plan: 'elite' },
  'code-violation': { label: 'Code violation', plan: 'elite' },
  'tax-delinquent': { label: 'Tax delinquent', plan: 'pro' },
  vacant: { label: 'Vacant', plan: 'pro' },
  'free-clear': { label: 'Free and clear', plan: 'pro' },
  'senior-ov65': { label: 'Senior owner', plan: 'pro' },
  'absentee-owner': { label: 'Absentee owner', plan: 'free' },
  'out-of-state-owner': { label: 'Out-of-state owner', plan: 'free' },
  'long-term-owner': { label: 'Long-term owner', plan: 'free' },
} as const satisfies Record<string, { label: string; plan: Plan }>;

export type LeadType = keyof typeof LEAD_TYPES;

/** The ids of all lead types, in the order in which they are listed. */
export const LEAD_TYPE_IDS = Object.keys(LEAD_TYPES) as LeadType[];
