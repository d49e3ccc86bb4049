import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { accounts } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import type { Db } from '../db/client.ts';
import { conflict, notFound } from '../errors.ts';
import { parseInput } from '../input.ts';
import { planName, type Account } from './accounts.ts';

const change = z.strictObject({ plan: planName });

/**
 * Puts an account on another plan. It holds at once: the Read API and events look the plan up each
 * time. A wrong plan is a `bad_request`, an unknown account `not_found`, the plan that it is on already
 * a `conflict`. The audit log says who did it.
 */
export async function changePlan(
  { db, actor }: { db: Db; actor: string },
  input: { accountId: string; plan: string },
): Promise<Account> {
  const { plan } = parseInput(change, { plan: input.plan });
  return db.transaction(async (tx) => {
    const theAccount = eq(accounts.id, input.accountId);
    // Not `update`: records of the account that are being written meanwhile need not wait.
    const [before] = await tx.select().from(accounts).where(theAccount).for('no key update');
    if (!before) throw notFound(`account ${input.accountId}`);
    if (before.plan === plan) throw conflict(`The account is on ${plan} already.`);
    await tx.update(accounts).set({ plan }).where(theAccount);
    await recordAudit(tx, {
      ...{ actor, action: 'account.plan_changed', accountId: before.id, subjectId: before.id },
      details: { from: before.plan, to: plan },
    });
    return { ...before, plan };
  });
}
