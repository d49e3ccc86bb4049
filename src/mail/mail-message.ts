import type { SendMailOptions } from 'nodemailer';

/** A mail as it is handed over. */
export interface OutgoingMail {
  id: string;
  recipient: string;
  subject: string;
  /** Plain text. */
  body: string;
  /** ISO 8601. */
  createdAt: string;
}

/** Hands mails over: to a mail server, or to a folder that stands in for one. */
export interface Mailer {
  /**
   * Resolves once the mail is accepted. Rejects with a `MailRefusedError` when it never will be for
   * this recipient, with another error when it may be later.
   */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

/**
 * The message of a mail. Its Message-ID and Date follow from the mail alone, so that every try sends
 * the same message, and mail programs and servers recognise one that they have already.
 */
export function mailMessage(mail: OutgoingMail, from: string): SendMailOptions {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'lead-events.invalid';
  return {
    from,
    // As an object it is one address, whatever it contains; a text could be a list of them.
    to: { name: '', address: mail.recipient },
    subject: mail.subject,
    text: mail.body,
    date: new Date(mail.createdAt),
    messageId: `<${mail.id}@${domain}>`,
    // So that absence notes are not sent back (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
