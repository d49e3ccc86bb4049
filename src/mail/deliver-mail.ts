import { ApplicationFailure } from '@temporalio/common';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { mails } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { Mailer } from './mail-message.ts';
import { MailRefusedError } from './smtp-error.ts';

/**
 * Hands one mail over and marks it as sent; nothing happens when it is sent already. A refusal is
 * tried again an hour later, since the owner's address or mailbox may be mended meanwhile.
 *
 * At least once: the mail server and Postgres share no transaction, so a crash after the server has
 * accepted the mail and before the mark sends it a second time. Marking it first could lose it
 * instead. The second one has the same Message-ID, by which mail programs drop it.
 */
export function createDeliverMail({ db, mailer }: { db: Db; mailer: Mailer }) {
  return async ({ mailId }: { mailId: string }): Promise<void> => {
    const [mail] = await db.select().from(mails).where(eq(mails.id, mailId));
    if (!mail || mail.sentAt !== null) return;
    try {
      await mailer.send(mail);
    } catch (error) {
      if (!(error instanceof MailRefusedError)) throw error;
      throw ApplicationFailure.create({
        type: error.name,
        message: error.message,
        nextRetryDelay: '1h',
      });
    }
    await db
      .update(mails)
      .set({ sentAt: sql`now()`, expectedAt: null })
      .where(and(eq(mails.id, mailId), isNull(mails.sentAt)));
  };
}
