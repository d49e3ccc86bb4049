import type { InferSelectModel } from 'drizzle-orm';
import { lists } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { newId } from '../ids.ts';
import { addLeads } from './change-leads.ts';
import { parseSourceName } from './source-name.ts';

export type List = InferSelectModel<typeof lists>;

/** Makes a list of an account, with these parcels to begin with. A wrong name, or a parcel that does
 * not exist, is a `bad_request` and nothing is made. */
export async function createList(
  db: Db,
  input: { accountId: string; name: string; parcelIds?: readonly string[] },
): Promise<List> {
  const name = parseSourceName(input.name);
  const { parcelIds = [] } = input;
  return db.transaction(async (tx) => {
    const { id: accountId } = await requireAccount(tx, input.accountId);
    const [list] = await tx
      .insert(lists)
      .values({ id: newId('list'), accountId, name })
      .returning();
    if (!list) throw new Error('insert returned no row');
    if (parcelIds.length > 0) await addLeads(tx, { accountId, listId: list.id, parcelIds });
    return list;
  });
}
