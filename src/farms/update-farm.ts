import { and, eq, sql } from 'drizzle-orm';
import { farms } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { Farm } from './create-farm.ts';

/**
 * Turns the alerts of a farm on or off: whether the rescore tells of leads in it that become hot (spec
 * §6.1). `not_found` when the account has no such farm.
 */
export async function updateFarm(
  db: Db,
  input: { accountId: string; farmId: string; alertsEnabled: boolean },
): Promise<Farm> {
  const { accountId, farmId, alertsEnabled } = input;
  const [farm] = await db
    .update(farms)
    .set({ alertsEnabled, updatedAt: sql`clock_timestamp()` })
    .where(and(eq(farms.accountId, accountId), eq(farms.id, farmId)))
    .returning();
  if (!farm) throw notFound('farm');
  return farm;
}
