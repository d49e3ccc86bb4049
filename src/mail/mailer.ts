import type { Mailer } from './mail-message.ts';
import { createMailboxMailer } from './mailbox-mailer.ts';
import { createSmtpMailer, SMTP_LIMITS, type SmtpLimits } from './smtp-mailer.ts';
import { parseSmtpUrl, SMTP_URL_FORMAT } from './smtp-url.ts';

export type { Mailer, OutgoingMail } from './mail-message.ts';

/** The mailer that is configured: a mail server's, or without one a folder's. */
export function createMailer({
  smtpUrl,
  from,
  mailboxDir,
  limits = SMTP_LIMITS,
}: {
  smtpUrl: string | undefined;
  /** The sender, an email address with or without a name before it. */
  from: string;
  mailboxDir: string;
  limits?: SmtpLimits;
}): Mailer {
  if (smtpUrl === undefined) return createMailboxMailer(mailboxDir, from);
  const server = parseSmtpUrl(smtpUrl);
  // The value itself may hold a password.
  if (!server) throw new Error(`SMTP_URL must be ${SMTP_URL_FORMAT}.`);
  return createSmtpMailer(server, from, limits);
}
