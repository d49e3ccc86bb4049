import type { EndpointState } from './delivery.ts';

/** Why an endpoint is paused: by hand, or because every delivery failed for too long (spec §3.5). */
export const PAUSE_REASONS = ['manual', 'failing'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** What operators see of an endpoint: in lists, in metrics, as a search attribute. */
export const HEALTH_STATES = ['healthy', 'failing', 'paused', 'deleted'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** How an endpoint is, from what Postgres keeps of it. */
export function healthState(endpoint: {
  state: EndpointState;
  failingSince: string | null;
}): HealthState {
  if (endpoint.state !== 'active') return endpoint.state;
  return endpoint.failingSince === null ? 'healthy' : 'failing';
}

/** When a failing endpoint's owner is warned, and when it is paused; milliseconds (spec §§3.5, 8). */
export interface PausePolicy {
  /** How long every delivery must have failed. */
  pauseAfterMs: number;
  /** How long before the pause the owner is warned. */
  warnBeforeMs: number;
}

/** Three days, and a day's notice. */
export const PAUSE_POLICY: PausePolicy = {
  pauseAfterMs: 3 * 86_400_000,
  warnBeforeMs: 86_400_000,
};

/** The deadlines of an episode in milliseconds since the epoch; both are fixed by its beginning. */
export function pauseDeadlines(
  failingSince: string,
  { pauseAfterMs, warnBeforeMs }: PausePolicy,
): { warnAt: number; pauseAt: number } {
  const pauseAt = Date.parse(failingSince) + pauseAfterMs;
  return { warnAt: pauseAt - warnBeforeMs, pauseAt };
}
