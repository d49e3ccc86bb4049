import { describe, expect, test } from 'vitest';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import {
  composePaused,
  composeWarning,
  type EpisodeFacts,
  type MailStyle,
} from '../../src/mail/health-mails.ts';

const STYLE: MailStyle = {
  serviceName: 'Lead Events',
  endpointPage: (endpointId) => `https://app.example.com/endpoints/${endpointId}`,
};

const FACTS: EpisodeFacts & { waiting: number } = {
  accountId: 'acct_1',
  endpointId: 'ep_019aa1b2c3d4e5f60718293a4b5c6d7e',
  url: 'https://user:hunter2@hooks.example.com:8443/lead/in?token=s3cret#part',
  description: 'CRM sync',
  failingSince: '2026-02-27T23:59:58.123456Z',
  failed: 42,
  waiting: 60,
  lastResult: '503',
  policy: PAUSE_POLICY,
};

describe.each([
  ['the warning', composeWarning],
  ['the mail about the pause', composePaused],
])('%s', (_name, compose) => {
  const textOf = (facts: Partial<EpisodeFacts>, style: Partial<MailStyle> = {}) =>
    compose({ ...FACTS, ...facts }, { ...STYLE, ...style });

  test('names the endpoint, since when it fails, how much failed and where to go', () => {
    const { subject, body } = textOf({});
    expect(subject).toContain('CRM sync');
    expect(subject).toContain('Lead Events');
    for (const fact of [
      '"CRM sync"',
      FACTS.endpointId,
      'https://hooks.example.com:8443/lead/in\n',
      '27 February 2026, 23:59:58 UTC',
      '42 deliveries',
      `\nhttps://app.example.com/endpoints/${FACTS.endpointId}\n`,
    ]) {
      expect(body).toContain(fact);
    }
    expect(body).toMatch(/skipped[^]*replayed/);
  });

  test('keeps to itself what a URL can hide', () => {
    const { subject, body } = textOf({ description: '' });
    expect(subject + body).not.toMatch(/hunter2|user|s3cret|token|part/);
  });

  test('calls an endpoint without a description by its host', () => {
    const { subject, body } = textOf({ description: ' \n ' });
    expect(subject).toMatch(/: hooks\.example\.com:8443$/);
    expect(body).toContain('"hooks.example.com:8443"');
  });

  test.each([
    ['503', 'The receiver answered with status 503 (Service Unavailable).'],
    ['299', 'The receiver answered with status 299.'],
    ['timeout', 'The receiver did not finish its answer within the time limit.'],
    ['dns_not_found', 'The host name does not exist or has no address.'],
    ['unknown', 'It is not known.'],
  ])('says %s in words', (lastResult, words) => {
    const unwrapped = textOf({ lastResult }).body.replaceAll(/\s+/g, ' ');
    expect(unwrapped).toContain(`Last error: ${words}`);
  });

  test('counts one delivery as one', () => {
    expect(textOf({ failed: 1 }).body).toMatch(/1 delivery$/m);
  });

  test.each([
    ['line ends', 'CRM\r\nBcc: everybody@example.com\r\n\r\nBuy!'],
    ['other line ends', 'CRM\u0085\u2028\u2029\v\fBcc: everybody@example.com'],
    ['control characters', 'CRM\0\x07\x1b[2J\x7f\u009b'],
    ['text that turns round', 'CRM \u202Egpj.exe\u2066 \u200Fabc'],
    ['half a character', 'CRM \ud83c'],
  ])('takes no %s from those who name endpoints and services', (_what, name) => {
    const { subject, body } = textOf({ description: name }, { serviceName: name });
    expect(subject).toMatch(/CRM/);
    expect(subject).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}/u);
    expect(body.replaceAll('\n', '')).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}/u);
    expect(body.split('\n\n')).toHaveLength(textOf({}).body.split('\n\n').length);
  });

  test('cuts a long description short, between characters', () => {
    const { subject, body } = textOf({ description: '🏡'.repeat(500) });
    expect([...subject].length).toBeLessThan(150);
    expect(subject).toMatch(/(🏡){50,}…/u);
    expect(body).not.toContain('🏡'.repeat(100));
  });

  test('has short lines, whatever the words in them', () => {
    const facts = { description: 'many words '.repeat(9), lastResult: 'tls_certificate_untrusted' };
    for (const line of textOf(facts).body.split('\n')) expect(line.length).toBeLessThan(78);
  });

  test('leaves links whole', () => {
    const url = `https://hooks.example.com/${'path/'.repeat(30)}`;
    const endpointPage = (id: string) => `https://app.example.com/${'path/'.repeat(30)}${id}`;
    const { body } = textOf({ url }, { endpointPage });
    expect(body).toContain(url);
    expect(body).toContain(endpointPage(FACTS.endpointId));
  });
});

test('the warning says when the endpoint will be paused, by the policy', () => {
  const { body } = composeWarning(FACTS, STYLE);
  expect(body).toContain('2 March 2026, 23:59:58 UTC');
  expect(body.replaceAll(/\s+/g, ' ')).toMatch(/after 3 days .* unless a delivery succeeds/);
});

test.each([
  [3 * 86_400_000, 'for 3 days,'],
  [86_400_000, 'for 1 day,'],
  [30_000, 'for 30 seconds,'],
  [5_400_000, 'for 1 hour 30 minutes,'],
  [1, 'for 1 second,'],
])('a pause after %i ms is one after failing %s', (pauseAfterMs, words) => {
  const policy = { pauseAfterMs, warnBeforeMs: 1 };
  const { body } = composePaused({ ...FACTS, policy }, STYLE);
  expect(body.replaceAll(/\s+/g, ' ')).toContain(`has failed ${words}`);
});
