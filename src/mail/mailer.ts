import type { Mailer } from './mail-message.ts';
import { createMailboxMailer } from './mailbox-mailer.ts';
import { createSmtpMailer, SMTP_LIMITS, type SmtpLimits } from './smtp-mailer.ts';
import { parseSmtpUrl, SMTP_URL_FORMAT, smtpOrigin, type SmtpServer } from './smtp-url.ts';

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
  return createSmtpMailer(smtpServer(smtpUrl), from, limits);
}

/** Where such a mailer hands mails over: the mail server without credentials, or the folder. */
export function mailDestination({
  smtpUrl,
  mailboxDir,
}: {
  smtpUrl: string | undefined;
  mailboxDir: string;
}): string {
  return smtpUrl === undefined ? mailboxDir : smtpOrigin(smtpServer(smtpUrl));
}

function smtpServer(smtpUrl: string): SmtpServer {
  const server = parseSmtpUrl(smtpUrl);
  // The value itself may hold a password.
  if (!server) throw new Error(`SMTP_URL must be ${SMTP_URL_FORMAT}.`);
  return server;
}
