import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createMailer, mailDestination, type OutgoingMail } from '../../src/mail/mailer.ts';
import { MailRefusedError } from '../../src/mail/smtp-error.ts';
import { SMTP_LIMITS, type SmtpLimits } from '../../src/mail/smtp-mailer.ts';
import { createTlsCertificates } from '../support/tls-certificates.ts';
import { startMailServer, type Answer, type MailServer } from './mail-server.ts';

const MAIL: OutgoingMail = {
  id: 'mail_019aa1',
  recipient: 'owner@example.com',
  subject: 'Webhook endpoint paused: CRM sync',
  body: 'Hello.\n\n.\nA line of one dot stays.\n',
  createdAt: '2026-03-01T12:34:56.789123Z',
};

let server: MailServer;
afterEach(() => server.close());

async function start(options: Parameters<typeof startMailServer>[0] = {}): Promise<void> {
  server = await startMailServer(options);
}

function send(mail: Partial<OutgoingMail> = {}, limits: Partial<SmtpLimits> = {}, login = '') {
  return sendTo(`smtp://${login}127.0.0.1:${server.port}`, mail, limits);
}

async function sendTo(
  smtpUrl: string,
  mail: Partial<OutgoingMail> = {},
  limits: Partial<SmtpLimits> = {},
): Promise<void> {
  const from = '"Lead Events" <no-reply@service.example>';
  const all = { ...SMTP_LIMITS, ...limits };
  const mailer = createMailer({ smtpUrl, from, mailboxDir: '/nowhere', limits: all });
  try {
    await mailer.send({ ...MAIL, ...mail });
  } finally {
    mailer.close();
  }
}

/** What a promise rejects with. */
function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it was accepted'),
    (error: unknown) => error as Error,
  );
}

describe('a mail that is accepted', () => {
  test('arrives with a sender, a Message-ID and a date of its own', async () => {
    await start();
    await send();
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: 'no-reply@service.example', to: ['owner@example.com'] });
    expect(mail?.body).toBe(MAIL.body);
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      from: 'Lead Events <no-reply@service.example>',
      to: 'owner@example.com',
      subject: MAIL.subject,
      'message-id': '<mail_019aa1@service.example>',
      date: 'Sun, 01 Mar 2026 12:34:56 +0000',
      'auto-submitted': 'auto-generated',
    });
  });

  test('goes to one address, whatever it contains', async () => {
    await start();
    const sent = send({ recipient: 'owner@example.com, other@example.com' });
    await expect(sent).rejects.toThrow();
    expect(server.mails).toEqual([]);
  });

  test('has no headers but those that are meant', async () => {
    await start();
    await send({ subject: 'Paused\r\nBcc: other@example.com\r\n\r\nBuy!' });
    const [mail] = server.mails;
    expect(mail?.to).toEqual(['owner@example.com']);
    expect(mail?.headers.has('bcc')).toBe(false);
    expect(mail?.body).toBe(MAIL.body);
  });
});

describe('a mail that is not accepted', () => {
  test('can be sent again after a passing refusal, as the same message', async () => {
    const answers: Answer[] = [
      { code: 451, text: '4.7.1 <owner@example.com>: greylisted, come back later' },
      'accept',
    ];
    await start({ onRecipient: () => answers.shift() ?? 'accept' });
    const error = await failure(send());
    expect(error).not.toBeInstanceOf(MailRefusedError);
    expect(error.message).toMatch(/451.*greylisted/);
    await send();
    await send();
    const ids = server.mails.map(({ headers }) => headers.get('message-id'));
    expect(ids).toEqual(['<mail_019aa1@service.example>', '<mail_019aa1@service.example>']);
  });

  const refusal = { code: 550, text: '5.1.1 <owner@example.com>: no such user' };
  test.each([
    ['recipient', { onRecipient: (): Answer => refusal }],
    ['mail itself', { onMail: (): Answer => refusal }],
  ])('is told apart when the %s is refused for good', async (_what, options) => {
    await start(options);
    const error = await failure(send());
    expect(error).toBeInstanceOf(MailRefusedError);
    expect(error.message).toMatch(/550 5\.1\.1 .*no such user/);
    expect(server.mails).toEqual([]);
  });

  test('leaves the address out of the error, and does not repeat a long answer', async () => {
    await start({
      onRecipient: () => ({ ...refusal, text: `${refusal.text} ${'x'.repeat(900)}` }),
    });
    const error = await failure(send());
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('owner@');
    expect(error.message.length).toBeLessThanOrEqual(300);
    expect(error.cause).toBeUndefined();
  });

  test('fails when no server is there', async () => {
    await start();
    const { port } = server;
    await server.close();
    const error = await failure(sendTo(`smtp://127.0.0.1:${port}`));
    expect(error).not.toBeInstanceOf(MailRefusedError);
    expect(error.message).toContain('ECONNREFUSED');
    await start();
  });
});

describe('a server that says nothing', () => {
  test('is given up when it does not greet', async () => {
    await start();
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    await expect(sendTo(`smtp://127.0.0.1:${port}`, {}, { connectMs: 100 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    });
  });

  test.each([
    ['a recipient', { onRecipient: (): Answer => 'silence' }],
    ['a mail', { onMail: (): Answer => 'silence' }],
  ])('is given up when it does not answer %s', async (_what, options) => {
    await start(options);
    await expect(send({}, { answerMs: 100 })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect(send({}, { totalMs: 100 })).rejects.toThrow('longer than 100 ms');
  });
});

describe('TLS', () => {
  const certificates = createTlsCertificates();

  test('is begun when the server offers it, and its certificate is checked', async () => {
    await start({ startTls: true });
    await expect(send()).rejects.toThrow(/certificate/);
    expect(server.mails).toEqual([]);
  });

  test('from the first byte checks the certificate', async () => {
    await start({ tls: certificates.selfSigned('127.0.0.1') });
    await expect(sendTo(`smtps://127.0.0.1:${server.port}`)).rejects.toThrow(/certificate/);
    expect(server.mails).toEqual([]);
  });

  test('is a condition for showing a password', async () => {
    await start({ onLogin: () => 'accept' });
    await expect(send({}, {}, 'me:hunter2@')).rejects.toThrow(/STARTTLS/);
    expect(server).toMatchObject({ mails: [], logins: [] });
  });

  test('with a certificate that is trusted lets the password and the mail through', async () => {
    await start({ tls: certificates.issue('127.0.0.1'), onLogin: () => 'accept' });
    expect(await sendInProcess(`smtps://me:p%40ss@127.0.0.1:${server.port}`)).toBe('sent\n');
    expect(server.logins).toEqual(['me:p@ss']);
    expect(server.mails).toHaveLength(1);
  });

  test('and a refused password: the error repeats nothing of it', async () => {
    await start({
      tls: certificates.issue('127.0.0.1'),
      onLogin: (login) => ({ code: 535, text: `5.7.8 ${login} is wrong` }),
    });
    const printed = await sendInProcess(`smtps://me:hunter2@127.0.0.1:${server.port}`);
    expect(server.logins).toEqual(['me:hunter2']);
    expect(printed).toContain('did not let the user of SMTP_URL in (535)');
    expect(printed).not.toMatch(/hunter2|me:|AG1l/);
  });

  /** Sends from a process that trusts our authority; resolves to what it printed. */
  async function sendInProcess(smtpUrl: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'mail-ca-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, certificates.ca);
    const script = join(import.meta.dirname, 'fixtures', 'send-one.ts');
    const env = { ...process.env, SMTP_URL: smtpUrl, NODE_EXTRA_CA_CERTS: ca };
    const run = promisify(execFile)(process.execPath, ['--import', 'tsx', script], { env });
    return (await run).stdout;
  }
});

test('where mails go is told without the password', () => {
  const whereOf = (smtpUrl: string) => mailDestination({ smtpUrl, mailboxDir: '' });
  expect(whereOf('smtp://me:hunter2@mail.example.com')).toBe('smtp://mail.example.com:587');
  expect(whereOf('smtps://mail.example.com')).toBe('smtps://mail.example.com:465');
  expect(whereOf('smtp://[::1]:1025')).toBe('smtp://[::1]:1025');
});
