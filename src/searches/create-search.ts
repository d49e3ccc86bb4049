import type { InferSelectModel } from 'drizzle-orm';
import { searches } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { newId } from '../ids.ts';
import { parseSourceName } from '../lists/source-name.ts';
import { checkCriteria } from './criteria.ts';

export type Search = InferSelectModel<typeof searches>;

/**
 * Saves a search of an account, to be run anew each time. It may use lead types above the account's
 * plan: reading through it then says which plan is needed. Wrong criteria are a `bad_request`.
 */
export async function createSearch(
  db: Db,
  input: { accountId: string; name: string; criteria: unknown },
): Promise<Search> {
  const name = parseSourceName(input.name);
  const criteria = checkCriteria(input.criteria);
  const { id: accountId } = await requireAccount(db, input.accountId);
  const [search] = await db
    .insert(searches)
    .values({ id: newId('search'), accountId, name, criteria })
    .returning();
  if (!search) throw new Error('insert returned no row');
  return search;
}
