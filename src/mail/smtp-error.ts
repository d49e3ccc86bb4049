import type { NodemailerError } from 'nodemailer';
import { oneLine } from './wording.ts';

/**
 * The mail server will not take this mail to this recipient, and would say so again (a 5xx answer to
 * the recipient or to the mail itself).
 */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}

/** The most of a server's words that is kept, in characters. */
const LONGEST_MESSAGE = 300;

/**
 * What went wrong with a mail, fit for logs and for Temporal's history: email addresses are left out
 * (servers like to repeat the recipient's), and what is said to a login attempt, too, since a server
 * could repeat the password.
 */
export function smtpError(thrown: unknown): Error {
  const error: NodemailerError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code, responseCode, command, permanent } = error;
  if (code === 'EAUTH') {
    const answer = responseCode ? ` (${responseCode})` : '';
    return withCode(`The mail server did not let the user of SMTP_URL in${answer}.`, code);
  }
  const message = oneLine(
    error.message.replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '…'),
    LONGEST_MESSAGE,
  );
  // A refusal of MAIL FROM is about this service, not about the recipient.
  if (permanent && (command === 'RCPT TO' || command === 'DATA')) {
    return new MailRefusedError(message);
  }
  return withCode(message, code);
}

function withCode(message: string, code: string | undefined): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
