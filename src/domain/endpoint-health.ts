import type { EndpointState } from './delivery.ts';
import { pauseDeadlines, type PausePolicy } from './health.ts';

/** An endpoint's health as its workflow is told of it. */
export interface EndpointHealth {
  /** Of two of them the one with the higher version counts. */
  version: number;
  state: EndpointState;
  /** Since when every delivery has failed, ISO 8601; it names the episode. */
  failingSince: string | null;
  /** When the owner is warned, and when the endpoint is paused, in milliseconds since the epoch. */
  deadlines: { warnAt: number; pauseAt: number } | null;
}

/** What Postgres keeps, with the deadlines that follow from it. */
export function endpointHealthOf(
  endpoint: { version: number; state: EndpointState; failingSince: string | null },
  policy: PausePolicy,
): EndpointHealth {
  const { version, state, failingSince } = endpoint;
  const failing = state === 'active' && failingSince !== null;
  return {
    ...{ version, state, failingSince },
    deadlines: failing ? pauseDeadlines(failingSince, policy) : null,
  };
}
