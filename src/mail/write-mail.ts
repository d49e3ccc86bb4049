import { mails } from '../../drizzle/schema.ts';
import type { Tx } from '../db/client.ts';
import { mailWorkflowId } from '../domain/workflow-id.ts';
import { newId } from '../ids.ts';
import { enqueue } from '../relay/enqueue.ts';

/** A mail to an account's owner. */
export interface NewMail {
  accountId: string;
  recipient: string;
  /** What it is about; a second one about the same is not written. */
  about: string;
  subject: string;
  /** Plain text. */
  body: string;
}

/** Writes a mail in the transaction of what it tells about; it is sent afterwards, once. */
export async function writeMail(tx: Tx, mail: NewMail): Promise<void> {
  const [written] = await tx
    .insert(mails)
    .values({ id: newId('mail'), ...mail })
    .onConflictDoNothing({ target: mails.about })
    .returning({ id: mails.id });
  if (!written) return;
  const { accountId } = mail;
  const key = mailWorkflowId(written.id);
  await enqueue(tx, [{ key, task: 'mail', accountId, subjectId: written.id }]);
}
