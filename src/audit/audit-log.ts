import { and, desc, eq } from 'drizzle-orm';
import { auditLog } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { AuditAction } from '../domain/audit-action.ts';
import { newId } from '../ids.ts';

/** Who did it, when the service itself did. */
export const SERVICE_ACTOR = 'lead-events';

/** How many entries are shown. */
const SHOWN = 100;

/** Writes who did what, in the transaction in which it was done. `details` hold no secrets. */
export async function recordAudit(
  db: Db,
  entry: {
    actor: string;
    action: AuditAction;
    accountId: string;
    subjectId: string;
    details?: Record<string, unknown>;
  },
): Promise<void> {
  await db.insert(auditLog).values({ id: newId('audit'), ...entry });
}

/** The newest entries of an account, or those about one thing of it, newest first. */
export async function listAudit(
  db: Db,
  input: { accountId: string; subjectId?: string | undefined },
) {
  const { accountId, subjectId } = input;
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.accountId, accountId),
        subjectId === undefined ? undefined : eq(auditLog.subjectId, subjectId),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(SHOWN);
}
