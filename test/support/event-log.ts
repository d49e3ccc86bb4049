import { and, asc, eq } from 'drizzle-orm';
import { events } from '../../drizzle/schema.ts';
import { EVENT_CATALOGUE, type EventData, type EventType } from '../../src/events/catalogue.ts';
import type { EventEnvelope } from '../../src/events/envelope.ts';
import type { TestRecords } from './records.ts';

/** One event as it is kept, with its subject. */
export interface KeptEvent<Type extends EventType> extends EventEnvelope<Type> {
  subject: string;
}

/** An account's events of a type, the oldest first; each fits the catalogue, or this throws. */
export async function eventsOf<Type extends EventType>(
  { db }: TestRecords,
  accountId: string,
  type: Type,
): Promise<KeptEvent<Type>[]> {
  const rows = await db
    .select({ body: events.body, subject: events.subject })
    .from(events)
    .where(and(eq(events.accountId, accountId), eq(events.type, type)))
    .orderBy(asc(events.createdAt), asc(events.id));
  return rows.map(({ body, subject }) => {
    const envelope = JSON.parse(body.toString()) as EventEnvelope<Type>;
    const data = EVENT_CATALOGUE[type].data.parse(envelope.data) as EventData<Type>;
    return { ...envelope, data, subject };
  });
}
