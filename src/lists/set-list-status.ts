import { eq, sql } from 'drizzle-orm';
import { lists } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { ListStatus } from '../domain/list-status.ts';
import { conflict } from '../errors.ts';
import type { List } from './create-list.ts';
import { lockList } from './lock-list.ts';

/**
 * Archives a list, or makes it active again. An archived one keeps its leads and can be read, but the
 * rescore sends no lead.entered_hot for it (docs/rescore.md). `not_found` when the account has no such
 * list, `conflict` when it is in that state already.
 */
export async function setListStatus(
  db: Db,
  input: { accountId: string; listId: string; status: ListStatus },
): Promise<List> {
  return db.transaction(async (tx) => {
    const { id, status: before } = await lockList(tx, input);
    if (before === input.status) throw conflict(`The list is ${before} already.`);
    const [list] = await tx
      .update(lists)
      .set({ status: input.status, updatedAt: sql`clock_timestamp()` })
      .where(eq(lists.id, id))
      .returning();
    if (!list) throw new Error('update returned no row');
    return list;
  });
}
