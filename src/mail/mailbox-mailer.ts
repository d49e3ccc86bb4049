import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { mailMessage, type Mailer, type OutgoingMail } from './mail-message.ts';

/**
 * A mailer without a mail server: each mail becomes a file that mail programs open, for its owner's
 * eyes only. The same mail again replaces its file.
 */
export function createMailboxMailer(mailboxDir: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(mailMessage(mail, from));
      await mkdir(mailboxDir, { recursive: true, mode: 0o700 });
      const path = join(mailboxDir, fileName(mail));
      // Whoever watches the folder sees whole mails only.
      const unfinished = `${path}.${randomUUID()}.tmp`;
      try {
        await writeFile(unfinished, message, { mode: 0o600, flag: 'wx', flush: true });
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** `20260301T123456Z-mail_….eml`: in a listing the mails stand in order. */
function fileName({ id, createdAt }: OutgoingMail): string {
  const moment = new Date(createdAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return `${moment}Z-${id}.eml`;
}
