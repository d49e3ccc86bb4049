import { createTransport } from 'nodemailer';
import { mailMessage, type Mailer } from './mail-message.ts';
import { smtpError } from './smtp-error.ts';
import type { SmtpServer } from './smtp-url.ts';

/** How long a mail server is waited for, in milliseconds. */
export interface SmtpLimits {
  /** For the connection, and then for its first word. */
  connectMs: number;
  /** For each answer. */
  answerMs: number;
  /** For everything; below the time limit of the activity, so that it ends before the next try. */
  totalMs: number;
}

export const SMTP_LIMITS: SmtpLimits = { connectMs: 20_000, answerMs: 30_000, totalMs: 90_000 };

/** A mailer that speaks to a mail server, over a connection of its own for each mail. */
export function createSmtpMailer(
  { host, port, secure, auth }: SmtpServer,
  from: string,
  limits: SmtpLimits,
): Mailer {
  const transport = createTransport({
    ...{ host, port, secure, auth },
    // TLS is begun when the server offers it; passwords are never sent without.
    requireTLS: auth !== undefined,
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    dnsTimeout: limits.connectMs,
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.connectMs,
    socketTimeout: limits.answerMs,
  });
  return {
    async send(mail) {
      const signal = AbortSignal.timeout(limits.totalMs);
      try {
        await transport.sendMail({ ...mailMessage(mail, from), signal });
      } catch (error) {
        if (!signal.aborted) throw smtpError(error);
        throw new Error(`The mail server took longer than ${limits.totalMs} ms.`);
      }
    },
    close: () => transport.close(),
  };
}
