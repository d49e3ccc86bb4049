import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { selectedBy } from './replay-selection.ts';

const counted = z.object({ waiting: z.number() });

/**
 * How many deliveries of an endpoint wait for somebody to send them again: what a replay of the
 * failed and the skipped would take.
 */
export async function countWaiting(db: Db, endpointId: string): Promise<number> {
  const all = { endpointId, states: ['failed' as const, 'skipped' as const] };
  const [row] = await db.execute(sql`
    select count(*)::int as waiting from deliveries d
    where ${selectedBy({ ...all, since: null, until: null }, sql`'infinity'`)}`);
  return counted.parse(row).waiting;
}
