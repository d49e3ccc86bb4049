import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { CONTACTS_PLAN, planIncludes } from '../domain/plan.ts';
import { upgradeRequired } from '../errors.ts';

/** Refuses to sell contacts to an account whose plan would not show them (spec §6.2). */
export async function requireContactsPlan(db: Db, accountId: string): Promise<void> {
  const { plan } = await requireAccount(db, accountId);
  if (planIncludes(plan, CONTACTS_PLAN)) return;
  throw upgradeRequired(CONTACTS_PLAN, `Skip traces need the ${CONTACTS_PLAN} plan.`);
}
