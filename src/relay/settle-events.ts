import { sql } from 'drizzle-orm';
import { outbox } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/** Takes events whose workflows run out of the queue. */
export async function removeStarted(db: Db, eventIds: string[]): Promise<void> {
  await db.delete(outbox).where(among(eventIds));
}

/** Gives events back, to be claimed again after a wait. */
export async function releaseEvents(
  db: Db,
  eventIds: string[],
  waitMs: number,
  error: string,
): Promise<void> {
  await db
    .update(outbox)
    .set({
      availableAt: sql`now() + ${`${waitMs} milliseconds`}::interval`,
      lastError: error.slice(0, 500),
    })
    .where(among(eventIds));
}

/** As one array parameter: a list of them would be another statement for each length. */
function among(eventIds: string[]) {
  return sql`${outbox.eventId} = any (${sql.param(eventIds)}::text[])`;
}
