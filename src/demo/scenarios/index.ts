import { deal } from './deal.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario, in the order in which they are listed. */
export const SCENARIOS: readonly Scenario[] = [deal];
