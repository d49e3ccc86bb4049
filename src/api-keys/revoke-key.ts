import { and, eq, isNull, sql } from 'drizzle-orm';
import { apiKeys } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { conflict, notFound } from '../errors.ts';
import { apiKeyColumns, type ApiKey, type ApiKeyContext } from './api-key.ts';

/**
 * Revokes a key for good: the next request with it is refused, on every process (spec §5.1 allows a
 * minute). One that is revoked already is a `conflict`. On any plan: a leaked key must be stoppable.
 */
export async function revokeKey(
  { db, actor }: ApiKeyContext,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<ApiKey> {
  const theKey = and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId));
  return db.transaction(async (tx) => {
    const [revoked] = await tx
      .update(apiKeys)
      .set({ revokedAt: sql`clock_timestamp()` })
      .where(and(theKey, isNull(apiKeys.revokedAt)))
      .returning(apiKeyColumns);
    if (!revoked) {
      const [known] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(theKey);
      if (!known) throw notFound('key');
      throw conflict('The key is revoked already.');
    }
    const { name, hint } = revoked;
    await recordAudit(tx, {
      ...{ actor, action: 'key.revoked', accountId, subjectId: keyId },
      details: { name, hint },
    });
    return revoked;
  });
}
