import { eventBody, type ReceivedEvent } from './received-event.ts';
import { deliveriesOfEvents, showDelivery } from '../../deliveries/list-deliveries.ts';
import { attemptResult } from '../../domain/attempt-result.ts';
import { deliveryWorkflowId } from '../../domain/workflow-id.ts';
import type { Narrator } from './narrator.ts';
import { expectSeen } from './not-seen.ts';
import type { Stage } from './stage.ts';

/** An event of this run. */
export interface RecordedEvent {
  id: string;
  type: string;
  createdAt: string;
}

/**
 * Follows one event to the end, telling of each thing as it happens: the workflow, every attempt, the
 * receiver's verdict, the log. Answers what the receiver got. Not seen is: a delivery that does not
 * end as delivered, a request that the receiver did not get or whose signature it found wrong. In
 * `brief` people see only the event and the verdict.
 */
export async function followEvent(
  stage: Stage,
  event: RecordedEvent,
  { brief = false }: { brief?: boolean } = {},
): Promise<ReceivedEvent> {
  const { narrator, endpointId } = stage;
  const tell = brief ? narrator.record : narrator.fact;
  const { deliveryId } = await announce(stage, event, { brief });
  const ids = { event_id: event.id, delivery_id: deliveryId, endpoint_id: endpointId };
  await tellAttempts(stage, tell, { deliveryId, eventId: event.id });
  const got = receiptsOf(stage, event.id);
  const [first] = got;
  expectSeen(first !== undefined, `the receipt of ${event.id}.`);
  expectSeen(
    got.every(({ verdict }) => verdict.ok),
    `a good signature on every request with ${event.id}.`,
  );
  const last = got.at(-1) ?? first;
  const afterMs = last.at.getTime() - Date.parse(event.createdAt);
  const times = got.length === 1 ? 'once' : `${got.length} times, the same id and body each time`;
  narrator.fact(
    'receiver',
    `got it ${times}; signature ok; ${seconds(afterMs)} after it was recorded`,
    { event_id: event.id, requests: got.length, signature: 'ok', after_recorded_ms: afterMs },
  );
  const bodies = new Set(got.map(({ body }) => JSON.stringify(body)));
  expectSeen(bodies.size === 1, `the same body in every request with ${event.id}.`);
  tell('log', 'delivered; the same on the command line:', { ...ids, state: 'delivered' });
  tell('', stage.cli(`delivery show ${deliveryId}`));
  return eventBody(last.body);
}

/** Tells of an event, its delivery and the workflow that makes it. */
export async function announce(
  stage: Stage,
  event: RecordedEvent,
  { brief = false }: { brief?: boolean } = {},
): Promise<{ deliveryId: string }> {
  const { narrator, endpointId } = stage;
  const delivery = await deliveryOf(stage, event.id);
  const workflowId = deliveryWorkflowId(event.id);
  narrator.fact('event', `${event.id}  ${event.type}`, {
    ...{ event_id: event.id, type: event.type, created_at: event.createdAt },
    ...{ delivery_id: delivery.id, endpoint_id: endpointId },
  });
  const tell = brief ? narrator.record : narrator.fact;
  tell('workflow', stage.ui(workflowId), { workflow_id: workflowId });
  return { deliveryId: delivery.id };
}

/** The delivery of an event to the endpoint of this run. */
export async function deliveryOf(stage: Stage, eventId: string) {
  const { context, accountId, endpointId } = stage;
  const all = await deliveriesOfEvents(context.db, { accountId, eventIds: [eventId] });
  const delivery = all.find((one) => one.endpointId === endpointId);
  expectSeen(delivery !== undefined, `a delivery of ${eventId} in the event's transaction.`);
  return delivery;
}

/** What the receiver has got of an event. */
export function receiptsOf({ receipts }: Stage, eventId: string) {
  return receipts.filter((receipt) => receipt.eventId === eventId);
}

/** Holds an event to having been received exactly once; to be asked after it was delivered. */
export function expectOnce(stage: Stage, eventId: string): void {
  const requests = receiptsOf(stage, eventId).length;
  expectSeen(requests === 1, `${eventId} exactly once (it came ${requests} times).`);
}

/** Waits until a delivery is delivered, and tells of each attempt when it is in the log. */
async function tellAttempts(
  stage: Stage,
  tell: Narrator['fact'],
  { deliveryId, eventId }: { deliveryId: string; eventId: string },
): Promise<void> {
  const { context, accountId } = stage;
  let told = 0;
  const state = await stage.until(`the end of the delivery of ${eventId}`, async () => {
    const delivery = await showDelivery(context.db, { accountId, deliveryId });
    for (const attempt of delivery.attempts.slice(told)) {
      told += 1;
      const { number, durationMs, error, statusCode } = attempt;
      const waitMs = error === null ? undefined : stage.retrySchedule[number - 1];
      const next = waitMs === undefined ? '' : `; next in ${seconds(waitMs)}, by a durable timer`;
      const result = attemptResult(error, statusCode) ?? '';
      tell('attempt', `${number}: ${words(attempt)} in ${durationMs} ms${next}`, {
        ...{ delivery_id: deliveryId, number, result, duration_ms: durationMs },
      });
    }
    return delivery.finishedAt ? delivery.state : undefined;
  });
  expectSeen(state === 'delivered', `${eventId} delivered (it is ${state}).`);
}

/** What an attempt came to, in a few words. */
export function words(attempt: {
  error: string | null;
  statusCode: number | null;
  redirectTarget: string | null;
}): string {
  const { error, statusCode, redirectTarget } = attempt;
  if (error === 'redirect') return `${statusCode} to ${redirectTarget}, not followed,`;
  if (error === 'timeout') return 'no answer, given up';
  if (error !== null && error !== 'http_status') return error;
  return `answered ${statusCode}`;
}

/** `14 ms`, `2 s`, `2.5 s`. */
export function seconds(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  return `${Number((milliseconds / 1_000).toFixed(1))} s`;
}
