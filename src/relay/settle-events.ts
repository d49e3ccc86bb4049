import { inArray, sql } from 'drizzle-orm';
import { outbox } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/** Takes events whose workflows run out of the queue. */
export async function removeStarted(db: Db, eventIds: string[]): Promise<void> {
  await db.delete(outbox).where(inArray(outbox.eventId, eventIds));
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
    .where(inArray(outbox.eventId, eventIds));
}
