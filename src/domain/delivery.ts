/** The states of a delivery (spec §3.5), and `skipped`: not sent, for a reason that is kept. */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why a delivery was not sent. */
export const SKIP_REASONS = [
  'endpoint_paused',
  'endpoint_deleted',
  'unsubscribed',
  'cancelled',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The states of an endpoint; a deleted one is kept because deliveries point to it. */
export const ENDPOINT_STATES = ['active', 'paused', 'deleted'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** Why an event of this type is not sent to this endpoint now; undefined when it is. */
export function skipReason(
  endpoint: { state: EndpointState; eventTypes: readonly string[] },
  eventType: string,
): SkipReason | undefined {
  if (endpoint.state === 'deleted') return 'endpoint_deleted';
  if (endpoint.state === 'paused') return 'endpoint_paused';
  return endpoint.eventTypes.includes(eventType) ? undefined : 'unsubscribed';
}

/** What one attempt led to, as the workflow needs to know it: no payload, no URL, no contact. */
export type AttemptOutcome =
  | { state: 'delivered' | 'failed' | 'skipped'; reason: string }
  | { state: 'retrying'; reason: string; retryInMs: number };

/**
 * One word for several deliveries of an event, for operators' lists: what is still going on comes
 * before what is over, and what went wrong before what went well.
 */
export function overallState(states: readonly DeliveryState[]): DeliveryState {
  const order: DeliveryState[] = ['retrying', 'pending', 'failed', 'skipped', 'delivered'];
  return order.find((state) => states.includes(state)) ?? 'delivered';
}
