import { and, asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { deals, events, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { inSnapshot } from '../db/in-snapshot.ts';
import { deliveriesOfEvents } from '../deliveries/list-deliveries.ts';
import { notFound } from '../errors.ts';
import { dealSubject } from './deal-event.ts';

/** What an event says of the move that it tells of. */
const body = z.object({
  data: z.object({ from_status: z.string().nullable(), to_status: z.string() }),
});

/**
 * A deal with its parcel and how it came to be: its events, the first one first, each with its
 * deliveries, all of one moment. Events are kept as long as a delivery of theirs is, so an old deal
 * may have fewer than it had moves. `not_found` when the account has no such deal.
 */
export async function showDeal(
  db: Db,
  { accountId, dealId }: { accountId: string; dealId: string },
) {
  return inSnapshot(db, async (tx) => {
    const [found] = await tx
      .select({ deal: deals, parcel: parcels })
      .from(deals)
      .innerJoin(parcels, eq(parcels.id, deals.parcelId))
      .where(and(eq(deals.accountId, accountId), eq(deals.id, dealId)));
    if (!found) throw notFound('deal');
    const told = await tx
      .select({
        id: events.id,
        type: events.type,
        createdAt: events.createdAt,
        body: events.body,
      })
      .from(events)
      .where(and(eq(events.accountId, accountId), eq(events.subject, dealSubject(dealId))))
      .orderBy(asc(events.createdAt));
    const eventIds = told.map(({ id }) => id);
    const sent = await deliveriesOfEvents(tx, { accountId, eventIds });
    return {
      ...found,
      events: told.map(({ id, type, createdAt, body: bytes }) => ({
        ...{ id, type, createdAt, ...move(bytes) },
        deliveries: sent.filter(({ eventId }) => eventId === id),
      })),
    };
  });
}

export type ShownDeal = Awaited<ReturnType<typeof showDeal>>;

function move(bytes: Buffer): { fromStatus: string | null; toStatus: string } {
  const { data } = body.parse(JSON.parse(bytes.toString('utf8')));
  return { fromStatus: data.from_status, toStatus: data.to_status };
}
