import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import { attempts, deliveries, endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { inSnapshot } from '../db/in-snapshot.ts';
import { notFound } from '../errors.ts';

/** How many deliveries the log shows for an endpoint (spec §6.2, §8). */
export const LOG_LENGTH = 100;

const deliveryColumns = {
  id: deliveries.id,
  kind: deliveries.kind,
  /** A test's is the sample's. */
  eventId: sql<string>`coalesce(${deliveries.eventId}, 'evt_sample_' || replace(${deliveries.eventType}, '.', '_'))`,
  eventType: deliveries.eventType,
  endpointId: deliveries.endpointId,
  redeliveryOf: deliveries.redeliveryOf,
  /** The redelivery that took over. */
  replacedBy: deliveries.replacedBy,
  state: deliveries.state,
  skipReason: deliveries.skipReason,
  attemptsMade: deliveries.attemptsMade,
  /** The response code of the last attempt; null when there was no answer. */
  lastStatusCode: sql<number | null>`${attempts.statusCode}`,
  lastError: sql<string | null>`${attempts.error}`,
  nextAttemptAt: deliveries.nextAttemptAt,
  createdAt: deliveries.createdAt,
  finishedAt: deliveries.finishedAt,
};

/**
 * The newest deliveries of an account, or of one of its endpoints, newest first. An account's are
 * put together from its endpoints' logs, each of which has an index.
 */
export async function listDeliveries(
  db: Db,
  input: { accountId: string; endpointId?: string | undefined },
) {
  const { accountId, endpointId } = input;
  const log = db
    .select({ id: deliveries.id, createdAt: deliveries.createdAt })
    .from(deliveries)
    .where(eq(deliveries.endpointId, endpoints.id))
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
    .limit(LOG_LENGTH)
    .as('log');
  const newest = db
    .select({ id: log.id })
    .from(endpoints)
    .innerJoinLateral(log, sql`true`)
    .where(
      and(
        eq(endpoints.accountId, accountId),
        endpointId === undefined ? undefined : eq(endpoints.id, endpointId),
      ),
    )
    .orderBy(desc(log.createdAt), desc(log.id))
    .limit(LOG_LENGTH);
  return selectDeliveries(db)
    .where(inArray(deliveries.id, newest))
    .orderBy(desc(deliveries.createdAt), desc(deliveries.id));
}

/** One delivery with every attempt, the first one first; `not_found` when the account has none such. */
export async function showDelivery(db: Db, input: { accountId: string; deliveryId: string }) {
  const wanted = and(
    eq(deliveries.accountId, input.accountId),
    eq(deliveries.id, input.deliveryId),
  );
  // One snapshot, so that the delivery's state and its attempts belong together.
  return inSnapshot(db, async (tx) => {
    const [delivery] = await selectDeliveries(tx).where(wanted);
    if (!delivery) throw notFound('delivery');
    const made = await tx
      .select()
      .from(attempts)
      .where(eq(attempts.deliveryId, delivery.id))
      .orderBy(asc(attempts.number));
    return { ...delivery, attempts: made };
  });
}

/** The deliveries of these events, redeliveries included, the first one first. */
export async function deliveriesOfEvents(
  db: Db,
  { accountId, eventIds }: { accountId: string; eventIds: string[] },
) {
  if (eventIds.length === 0) return [];
  return selectDeliveries(db)
    .where(and(eq(deliveries.accountId, accountId), inArray(deliveries.eventId, eventIds)))
    .orderBy(asc(deliveries.createdAt), asc(deliveries.id));
}

export type LoggedDelivery = Awaited<ReturnType<typeof showDelivery>>;

function selectDeliveries(db: Db) {
  return db
    .select({ ...deliveryColumns, endpointUrl: endpoints.url })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .leftJoin(
      attempts,
      and(eq(attempts.deliveryId, deliveries.id), eq(attempts.number, deliveries.attemptsMade)),
    );
}
