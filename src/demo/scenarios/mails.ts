import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { and, eq, isNotNull, like } from 'drizzle-orm';
import { mails } from '../../../drizzle/schema.ts';
import { shortPath, type Stage } from './stage.ts';

/** A mail that was sent, as it lies in the mail folder. */
export interface ArrivedMail {
  id: string;
  recipient: string;
  subject: string;
  body: string;
  /** As somebody in the current directory would type it. */
  path: string;
}

/** Waits for the mail about this (`warning`, `paused`) to the owner of the run's endpoint. */
export async function arrivedMail(stage: Stage, about: string): Promise<ArrivedMail> {
  const { context, endpointId, mailbox } = stage;
  return stage.until(`a mail to the owner ("${about}")`, async () => {
    const [sent] = await context.db
      .select({
        ...{ id: mails.id, recipient: mails.recipient },
        ...{ subject: mails.subject, body: mails.body },
      })
      .from(mails)
      .where(and(like(mails.about, `${about}:${endpointId}:%`), isNotNull(mails.sentAt)))
      .limit(1);
    if (!sent) return undefined;
    const file = (await readdir(mailbox)).find((name) => name.endsWith(`${sent.id}.eml`));
    return file === undefined ? undefined : { ...sent, path: shortPath(join(mailbox, file)) };
  });
}

/** How many mails about this endpoint there are in all. */
export async function countMails(stage: Stage): Promise<number> {
  const rows = await stage.context.db
    .select({ id: mails.id })
    .from(mails)
    .where(and(eq(mails.accountId, stage.accountId), like(mails.about, `%:${stage.endpointId}:%`)));
  return rows.length;
}
