import { asc, eq } from 'drizzle-orm';
import { events } from '../../drizzle/schema.ts';
import type { Db } from '../../src/db/client.ts';
import type { EventEnvelope } from '../../src/events/envelope.ts';

export type DealEvent = EventEnvelope<'deal.status_changed'> | EventEnvelope<'deal.closed'>;

/** What has been told of an account's deals, in order. */
export async function dealEventsOf(db: Db, accountId: string): Promise<DealEvent[]> {
  const rows = await db
    .select({ body: events.body })
    .from(events)
    .where(eq(events.accountId, accountId))
    .orderBy(asc(events.createdAt));
  return rows.map(({ body }) => JSON.parse(body.toString('utf8')) as DealEvent);
}
