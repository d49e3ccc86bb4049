import { burst } from './burst.ts';
import { deal } from './deal.ts';
import { fail } from './fail.ts';
import { pause } from './pause.ts';
import { postcard } from './postcard.ts';
import { rescore } from './rescore.ts';
import { skiptrace } from './skiptrace.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario, in the order in which they are listed. */
export const SCENARIOS: readonly Scenario[] = [
  deal,
  skiptrace,
  postcard,
  rescore,
  fail,
  pause,
  burst,
];
