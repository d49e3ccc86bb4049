import { describe, expect, test } from 'vitest';
import { CONFIG_VARIABLES, readConfig } from '../../src/config.ts';
import { createMailer } from '../../src/mail/mailer.ts';
import { parseSmtpUrl } from '../../src/mail/smtp-url.ts';

const plain = { port: 587, secure: false, auth: undefined };

describe('SMTP_URL', () => {
  test.each([
    ['smtp://mail:1025', { ...plain, host: 'mail', port: 1025 }],
    ['smtp://mail.example.com/', { ...plain, host: 'mail.example.com' }],
    ['smtps://mail.example.com', { ...plain, host: 'mail.example.com', port: 465, secure: true }],
    ['smtp://[::1]:25', { ...plain, host: '::1', port: 25 }],
    [
      'smtps://me%40example.com:p%3A%2F%40ss%25@mail.example.com:2465',
      {
        ...{ host: 'mail.example.com', port: 2465, secure: true },
        auth: { user: 'me@example.com', pass: 'p:/@ss%' },
      },
    ],
  ])('%s is read', (url, server) => {
    expect(parseSmtpUrl(url)).toEqual(server);
    expect(readConfig({ SMTP_URL: url }).smtpUrl).toBe(url);
  });

  test.each([
    'mail:1025',
    'http://mail:1025',
    'smtp://',
    'smtp://:1025',
    'smtp://mail:99999',
    'smtp://mail:0',
    'smtp://mail/path',
    'smtp://mail:25?tls.rejectUnauthorized=false',
    'smtps://mail#x',
    'smtp://user-s3cret@mail',
    'smtp://user:s3cret%@mail',
    'smtp://user:s3 cret@mail',
  ])('%s is refused without being repeated', (url) => {
    const read = () => readConfig({ SMTP_URL: url });
    expect(read).toThrow(/^ {2}SMTP_URL: must be smtp:/m);
    expect(read).not.toThrow(/s3/);
    const create = () => createMailer({ smtpUrl: url, from: 'a@example.com', mailboxDir: '' });
    expect(create).toThrow('SMTP_URL');
    expect(create).not.toThrow(/s3/);
  });
});

test('MAIL_FROM is an email address', () => {
  expect(readConfig({ MAIL_FROM: 'no-reply@example.com' }).mailFrom).toBe('no-reply@example.com');
  expect(readConfig({ MAIL_FROM: '' }).mailFrom).toBeUndefined();
  expect(() => readConfig({ MAIL_FROM: 'nobody' })).toThrow('MAIL_FROM: must be an email address');
  expect(CONFIG_VARIABLES).toEqual(expect.arrayContaining(['SMTP_URL', 'MAIL_FROM']));
});
