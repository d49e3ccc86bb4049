import { and, count, eq, isNull } from 'drizzle-orm';
import { z } from 'zod';
import { accounts, apiKeys } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { API_PLAN, planIncludes } from '../domain/plan.ts';
import { conflict, notFound, proRequired } from '../errors.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';
import { isOneLine, ONE_LINE } from '../one-line.ts';
import { apiKeyColumns, type ApiKey, type ApiKeyContext } from './api-key.ts';
import { generateKey, hashKey, keyHint } from './key-text.ts';

/** More than anybody needs at a time: one for each program that reads. */
export const MAX_LIVE_KEYS = 20;

const newKey = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must have 100 characters at most')
    .refine(isOneLine, ONE_LINE),
});

/**
 * Creates a key and answers it with its text (`key`), which cannot be had again (spec §5.1). An
 * account on the Free plan is refused with `pro_required`, one with 20 live keys with `conflict`.
 */
export async function createKey(
  { db, actor }: ApiKeyContext,
  { accountId, ...input }: { accountId: string; name: string },
): Promise<ApiKey & { key: string }> {
  const { name } = parseInput(newKey, input);
  const key = generateKey();
  const id = newId('apiKey');
  return db.transaction(async (tx) => {
    // Creations of one account take turns, so that two at once cannot pass the limit.
    const [account] = await tx
      .select({ plan: accounts.plan })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .for('no key update');
    if (!account) throw notFound(`account ${accountId}`);
    if (!planIncludes(account.plan, API_PLAN)) throw proRequired();
    const [live] = await tx
      .select({ count: count() })
      .from(apiKeys)
      .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)));
    if (live && live.count >= MAX_LIVE_KEYS) {
      throw conflict(`An account has ${MAX_LIVE_KEYS} live keys at most; revoke one first.`);
    }
    const [row] = await tx
      .insert(apiKeys)
      .values({ id, accountId, name, hash: hashKey(key), hint: keyHint(key) })
      .returning(apiKeyColumns);
    if (!row) throw new Error('insert returned no row');
    await recordAudit(tx, {
      ...{ actor, action: 'key.created', accountId, subjectId: id },
      details: { name, hint: row.hint },
    });
    return { ...row, key };
  });
}
