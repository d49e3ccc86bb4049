import { and, eq } from 'drizzle-orm';
import { deliveries, endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import type { Db, Tx } from '../db/client.ts';
import { isUniqueViolation } from '../db/postgres-errors.ts';
import { workflowIdOf } from '../domain/workflow-id.ts';
import { conflict, notFound } from '../errors.ts';
import { enqueue } from '../relay/enqueue.ts';
import { insertRedelivery } from './insert-redelivery.ts';

/**
 * Sends a logged delivery again: a new delivery of the same event, with the same id and bytes and
 * the whole schedule (spec §4.1). Answers the new delivery's id.
 *
 * A `conflict`: it is still under way, or has been redelivered already; the endpoint is paused or
 * deleted; it was a test.
 */
export async function redeliver(
  { db, actor }: { db: Db; actor: string },
  { accountId, deliveryId }: { accountId: string; deliveryId: string },
): Promise<string> {
  try {
    return await db.transaction(async (tx) => {
      const delivery = await requireRedeliverable(tx, { accountId, deliveryId });
      const id = await startRedelivery(tx, { deliveryId, accountId });
      await recordAudit(tx, {
        ...{ actor, action: 'delivery.redelivered', accountId, subjectId: delivery.endpointId },
        details: { delivery_id: deliveryId, redelivery_id: id },
      });
      return id;
    });
  } catch (error) {
    if (isUniqueViolation(error, 'deliveries_event_endpoint_round')) {
      throw conflict('This delivery is being redelivered already.');
    }
    throw error;
  }
}

/** Writes a redelivery and has its workflow started. */
export async function startRedelivery(
  tx: Tx,
  input: { deliveryId: string; accountId: string; replayId?: string },
): Promise<string> {
  const { accountId, ...of } = input;
  const id = await insertRedelivery(tx, { ...of, kind: 'redelivery' });
  const key = workflowIdOf({ id, kind: 'redelivery', eventId: null, endpointId: '' });
  await enqueue(tx, [{ key, task: 'delivery', accountId, subjectId: id }]);
  return id;
}

async function requireRedeliverable(tx: Tx, which: { accountId: string; deliveryId: string }) {
  const [delivery] = await tx
    .select({
      id: deliveries.id,
      kind: deliveries.kind,
      eventId: deliveries.eventId,
      endpointId: deliveries.endpointId,
      finishedAt: deliveries.finishedAt,
      state: deliveries.state,
      endpointState: endpoints.state,
    })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .where(and(eq(deliveries.accountId, which.accountId), eq(deliveries.id, which.deliveryId)));
  if (!delivery?.endpointState) throw notFound('delivery');
  if (delivery.kind === 'test') throw conflict('This was a test; send another test instead.');
  if (!delivery.finishedAt) {
    throw conflict(`The delivery is ${delivery.state}: it is under way, "retry" tries it now.`);
  }
  if (delivery.endpointState === 'paused') {
    throw conflict('The endpoint is paused; resume it first.');
  }
  if (delivery.endpointState === 'deleted') throw conflict('The endpoint has been deleted.');
  await refuseSecond(tx, delivery);
  return delivery;
}

/**
 * Asking twice, by a double click, must not send twice: neither while the first redelivery is on its
 * way, nor when it is over already. Whoever wants a third one asks for the newest again.
 */
async function refuseSecond(
  tx: Tx,
  { id, eventId, endpointId }: { id: string; eventId: string | null; endpointId: string },
): Promise<void> {
  if (eventId === null) return;
  const ofEvent = and(eq(deliveries.eventId, eventId), eq(deliveries.endpointId, endpointId));
  // In turn: only what is read with these rows locked shows what another click has just made.
  await tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(ofEvent)
    .orderBy(deliveries.id)
    .for('update');
  const others = await tx
    .select({
      id: deliveries.id,
      finishedAt: deliveries.finishedAt,
      replacedBy: deliveries.replacedBy,
    })
    .from(deliveries)
    .where(ofEvent);
  const open = others.find(({ finishedAt }) => finishedAt === null);
  if (open) throw conflict(`The event is on its way to this endpoint already, as ${open.id}.`);
  const given = others.find((other) => other.id === id);
  const newest = others.find(({ replacedBy }) => replacedBy === null);
  if (given?.replacedBy) {
    throw conflict(
      `It has been redelivered already; the newest one is ${newest?.id ?? given.replacedBy}.`,
    );
  }
}
