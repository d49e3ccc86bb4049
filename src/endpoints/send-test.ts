import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { deliveries } from '../../drizzle/schema.ts';
import { showDelivery, type LoggedDelivery } from '../deliveries/list-deliveries.ts';
import { workflowIdOf } from '../domain/workflow-id.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { SAMPLE_CREATED_AT } from '../events/envelope.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';
import { enqueue } from '../relay/enqueue.ts';
import { auditEndpoint } from './change-endpoint.ts';
import { eventTypeList, type EndpointContext, type WhichEndpoint } from './endpoint.ts';
import { requireEndpoint } from './read-endpoints.ts';

/** How often the tests under way are looked at. */
const LOOK_MS = 50;

const wish = z.strictObject({ event_types: eventTypeList.default([...EVENT_TYPES]) });

/**
 * Sends the sample events of these types (all, unless told otherwise) to an endpoint, one attempt
 * each and no retries (spec §6.2): also to one that is paused, and of types that it is not
 * subscribed to. They go the way of every delivery, are logged as tests, and never count for the
 * endpoint's health. Answers the ids of the deliveries.
 */
export async function sendTest(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
  input: { eventTypes?: string[] | undefined } = {},
): Promise<string[]> {
  const { event_types: types } = parseInput(wish, { event_types: input.eventTypes });
  const { accountId, endpointId } = which;
  return db.transaction(async (tx) => {
    await requireEndpoint(tx, which);
    const rows = types.map((eventType) => ({
      ...{ id: newId('delivery'), accountId, endpointId, kind: 'test' as const, eventType },
      ...{ eventAt: SAMPLE_CREATED_AT, state: 'pending' as const },
    }));
    const now = new Date().toISOString();
    await tx
      .insert(deliveries)
      .values(rows.map((row) => ({ ...row, nextAttemptAt: now, expectedAt: now })));
    await auditEndpoint(tx, actor, 'endpoint.tested', which, { event_types: types });
    await enqueue(
      tx,
      rows.map(({ id, kind }) => ({
        ...{
          key: workflowIdOf({ id, kind, eventId: null, endpointId }),
          task: 'delivery' as const,
        },
        ...{ accountId, subjectId: id },
      })),
    );
    return rows.map(({ id }) => id);
  });
}

/**
 * Waits until these deliveries are final and answers them, for as long as `timeoutMs`; those that
 * are not final then are answered as they are.
 */
export async function awaitDeliveries(
  { db }: Pick<EndpointContext, 'db'>,
  input: { accountId: string; deliveryIds: string[]; timeoutMs: number },
): Promise<LoggedDelivery[]> {
  const { accountId, deliveryIds, timeoutMs } = input;
  const until = performance.now() + timeoutMs;
  for (;;) {
    const all = await Promise.all(
      deliveryIds.map((deliveryId) => showDelivery(db, { accountId, deliveryId })),
    );
    if (all.every(({ finishedAt }) => finishedAt !== null) || performance.now() > until) return all;
    await delay(LOOK_MS);
  }
}
