/** The states of a delivery (spec §3.5), and `skipped`: not sent, for a reason that is kept. */
export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * What a delivery is. `automatic`: made when the event was recorded. `redelivery`: the same event
 * again, because somebody asked. `last_attempt`: the one attempt before an endpoint is paused.
 * `test`: a sample, one attempt.
 */
export const DELIVERY_KINDS = ['automatic', 'redelivery', 'last_attempt', 'test'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

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

/**
 * Why a delivery of this kind is not sent to this endpoint now; undefined when it is. What somebody
 * asked for by hand goes out whatever is subscribed, and a test even while the endpoint is paused.
 */
export function skipReason(
  endpoint: { state: EndpointState; eventTypes: readonly string[] },
  delivery: { kind: DeliveryKind; eventType: string },
): SkipReason | undefined {
  const { kind, eventType } = delivery;
  if (endpoint.state === 'deleted') return 'endpoint_deleted';
  if (endpoint.state === 'paused' && kind !== 'test') return 'endpoint_paused';
  return kind !== 'automatic' || endpoint.eventTypes.includes(eventType)
    ? undefined
    : 'unsubscribed';
}

/** The waits of a delivery of this kind: tests and last attempts are made once (spec §6.2). */
export function scheduleFor(kind: DeliveryKind, schedule: readonly number[]): readonly number[] {
  return kind === 'test' || kind === 'last_attempt' ? [] : schedule;
}

/** Whether the outcome of a delivery of this kind says something about its endpoint's health. */
export function countsForHealth(kind: DeliveryKind): { failure: boolean; success: boolean } {
  return { failure: kind === 'automatic', success: kind !== 'test' };
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
