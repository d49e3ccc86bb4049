import type { ActivityOptions } from '@temporalio/workflow';

/**
 * How an attempt is made as an ordinary activity. A receiver's failure is an outcome, which the
 * workflow times; an activity throws only for faults of this service (Postgres away, an endpoint at
 * its limit), and those are tried again for as long as it takes, since nothing may be lost.
 */
export const ATTEMPT_OPTIONS: ActivityOptions = {
  // An attempt may have to wait for its turn at the endpoint …
  startToCloseTimeout: '10m',
  // … but a worker that dies is noticed by then (activities/heartbeating.ts).
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
};
