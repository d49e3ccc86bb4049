import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createMailer, mailDestination, type Mailer } from './mailer.ts';

/** The mailer of this configuration; links in mails, and its own address, are below `publicUrl`. */
export function configuredMailer(config: Config, publicUrl: string): Mailer {
  return createMailer({
    smtpUrl: config.smtpUrl,
    from: mailSender(config, publicUrl),
    mailboxDir: mailboxDir(config),
  });
}

/** Where the mailer of this configuration hands mails over, as it may be shown. */
export function configuredMailDestination(config: Config): string {
  return mailDestination({ smtpUrl: config.smtpUrl, mailboxDir: mailboxDir(config) });
}

/** Where mails land while no SMTP server is configured. */
export function mailboxDir(config: Config): string {
  return join(config.dataDir, 'mail');
}

/** The sender of our mails, with the service's name: MAIL_FROM, or an address at our own host. */
function mailSender(config: Config, publicUrl: string): string {
  const address = config.mailFrom ?? `no-reply@${new URL(publicUrl).hostname}`;
  return `"${config.serviceName.replaceAll(/["\\\r\n]/g, '')}" <${address}>`;
}
