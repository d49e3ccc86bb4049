import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

/** One note is good for several waits: a thousand that wait would otherwise write at each. */
const MARGIN_MS = 300_000;

/**
 * Notes that an unfinished delivery is not to be heard of for a while, so that the reconciler does
 * not take it for lost: a thousand that wait for one endpoint would all be told to Temporal again.
 */
export async function expectLater(db: Db, deliveryId: string, afterMs: number): Promise<void> {
  await db.execute(sql`
    update deliveries
    set expected_at = now() + ${`${afterMs + MARGIN_MS} milliseconds`}::interval
    where id = ${deliveryId} and finished_at is null
      and expected_at < now() + ${`${afterMs} milliseconds`}::interval`);
}
