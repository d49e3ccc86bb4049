import { and, eq } from 'drizzle-orm';
import { lists } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { List } from './create-list.ts';

/** A list of the account, for this transaction to change alone; or `not_found`. */
export async function lockList(
  tx: Tx,
  { accountId, listId }: { accountId: string; listId: string },
): Promise<List> {
  const [list] = await tx
    .select()
    .from(lists)
    .where(and(eq(lists.accountId, accountId), eq(lists.id, listId)))
    .for('update');
  if (!list) throw notFound('list');
  return list;
}
