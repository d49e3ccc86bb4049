import { and, asc, eq } from 'drizzle-orm';
import { listLeads, lists } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { badRequest, notFound } from '../errors.ts';

/** A list with its leads, as they are at one moment. */
export interface ListWithLeads {
  id: string;
  name: string;
  parcelIds: string[];
}

/**
 * Reads a list whose leads are to be ordered for; it does not change until the transaction ends. A
 * `bad_request` when it is empty, or has more than `most` leads.
 */
export async function leadsOfList(
  tx: Tx,
  { accountId, listId }: { accountId: string; listId: string },
  most: number,
): Promise<ListWithLeads> {
  const [list] = await tx
    .select({ id: lists.id, name: lists.name })
    .from(lists)
    .where(and(eq(lists.accountId, accountId), eq(lists.id, listId)))
    .for('share');
  if (!list) throw notFound('list');
  const leads = await tx
    .select({ parcelId: listLeads.parcelId })
    .from(listLeads)
    .where(eq(listLeads.listId, listId))
    .orderBy(asc(listLeads.parcelId))
    .limit(most + 1);
  if (leads.length === 0) throw badRequest('list', 'list: there are no leads on it.');
  if (leads.length > most) {
    throw badRequest(
      'list',
      `list: has more than ${most} leads, the most that can be ordered for.`,
    );
  }
  return { ...list, parcelIds: leads.map(({ parcelId }) => parcelId) };
}
