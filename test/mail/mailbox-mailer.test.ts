import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMailer, mailDestination, type OutgoingMail } from '../../src/mail/mailer.ts';
import { parseMessage } from './mail-server.ts';

const MAIL: OutgoingMail = {
  id: 'mail_019aa1',
  recipient: 'owner@example.com',
  subject: 'Webhook endpoint paused: CRM sync',
  body: 'Hello.\n',
  createdAt: '2026-03-01T12:34:56.789123Z',
};
const FILE = '20260301T123456Z-mail_019aa1.eml';

let folder: string;
let mailboxDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailbox-'));
  mailboxDir = join(folder, 'made', 'here');
});
afterEach(() => rmSync(folder, { recursive: true }));

const mailer = () => createMailer({ smtpUrl: undefined, from: 'no-reply@x.example', mailboxDir });

test('without a mail server a mail becomes a file for its owner alone', async () => {
  expect(mailDestination({ smtpUrl: undefined, mailboxDir })).toBe(mailboxDir);
  await mailer().send(MAIL);
  expect(readdirSync(mailboxDir)).toEqual([FILE]);
  expect(statSync(mailboxDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(mailboxDir, FILE)).mode & 0o777).toBe(0o600);
  const { headers, body } = parseMessage(readFileSync(join(mailboxDir, FILE), 'utf8'));
  expect(body).toBe(MAIL.body);
  expect(Object.fromEntries(headers)).toMatchObject({
    from: 'no-reply@x.example',
    to: 'owner@example.com',
    subject: MAIL.subject,
    'message-id': '<mail_019aa1@x.example>',
    date: 'Sun, 01 Mar 2026 12:34:56 +0000',
  });
});

test('the same mail again replaces its file, also at the same time', async () => {
  const same = mailer();
  await same.send(MAIL);
  await Promise.all(['Two.\n', 'Two.\n'].map((body) => same.send({ ...MAIL, body })));
  expect(readdirSync(mailboxDir)).toEqual([FILE]);
  expect(readFileSync(join(mailboxDir, FILE), 'utf8')).toMatch(/\nTwo\.\n$/);
});

test('other mails have files of their own, in order of time', async () => {
  await mailer().send({ ...MAIL, id: 'mail_later', createdAt: '2026-03-01T12:34:57.000000Z' });
  await mailer().send(MAIL);
  expect(readdirSync(mailboxDir).toSorted()).toEqual([FILE, '20260301T123457Z-mail_later.eml']);
});

test('a folder that cannot be made is told', async () => {
  writeFileSync(join(folder, 'made'), 'not a folder');
  await expect(mailer().send(MAIL)).rejects.toMatchObject({ code: 'ENOTDIR' });
});
