import { desc, eq, isNotNull } from 'drizzle-orm';
import { apiKeys } from '../../drizzle/schema.ts';
import { apiKeyColumns, type ApiKey, type ApiKeyContext } from './api-key.ts';

/** How many keys are shown: all that are live, and the newest of those that are not. */
const SHOWN = 100;

/** An account's keys: live ones first, then revoked ones, each newest first. */
export async function listKeys(
  { db }: Pick<ApiKeyContext, 'db'>,
  accountId: string,
): Promise<ApiKey[]> {
  return db
    .select(apiKeyColumns)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(isNotNull(apiKeys.revokedAt), desc(apiKeys.createdAt), desc(apiKeys.id))
    .limit(SHOWN);
}
