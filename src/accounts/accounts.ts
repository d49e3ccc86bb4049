import { asc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { accounts } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { PLANS, type Plan } from '../domain/plan.ts';
import { notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';

export interface Account {
  id: string;
  email: string;
  plan: Plan;
  createdAt: string;
}

/** A plan by its name. */
export const planName = z.enum(PLANS, { error: `must be one of ${PLANS.join(', ')}` });

const newAccount = z.strictObject({
  email: z.email('must be an email address').max(254),
  plan: planName,
});

/** Creates an account. A wrong email address or plan is a `bad_request`. */
export async function createAccount(
  db: Db,
  input: { email: string; plan: string },
): Promise<Account> {
  const { email, plan } = parseInput(newAccount, input);
  const [account] = await db
    .insert(accounts)
    .values({ id: newId('account'), email, plan })
    .returning();
  if (!account) throw new Error('insert returned no row');
  return account;
}

/** All accounts, oldest first: for operators only. */
export async function listAccounts(db: Db): Promise<Account[]> {
  return db.select().from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id));
}

/** The account, or `not_found`. */
export async function requireAccount(db: Db, accountId: string): Promise<Account> {
  const [account] = await db.select().from(accounts).where(eq(accounts.id, accountId));
  if (!account) throw notFound(`account ${accountId}`);
  return account;
}
