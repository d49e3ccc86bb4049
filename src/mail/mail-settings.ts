import { join } from 'node:path';
import type { Config } from '../config.ts';

/** Where mails land while no SMTP server is configured. */
export function mailboxDir(config: Config): string {
  return join(config.dataDir, 'mail');
}

/** The sender of our mails, with the service's name: MAIL_FROM, or an address at our own host. */
export function mailSender(config: Config, publicUrl: string): string {
  const address = config.mailFrom ?? `no-reply@${new URL(publicUrl).hostname}`;
  return `"${config.serviceName.replaceAll(/["\\\r\n]/g, '')}" <${address}>`;
}
