import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startReceiver, type Receipt, type Receiver } from '../../src/demo/receiver/receiver.ts';

const SECRET = 'whsec_receiver-test';
const BODY = JSON.stringify({ id: 'evt_1', type: 'deal.closed', data: { buyer_name: 'Zoë 東京' } });

let receiver: Receiver;
const receipts: Receipt[] = [];

beforeAll(async () => {
  receiver = await startReceiver({
    ...{ host: '127.0.0.1', port: 0, secrets: () => Promise.resolve([SECRET]) },
    onReceipt: (receipt) => void receipts.push(receipt),
  });
});
afterAll(() => receiver.close());
beforeEach(() => void (receipts.length = 0));

/** The signature as OpenSSL makes it: no code of ours on either side. */
function opensslSignature(timestamp: string, body: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'signed-'));
  const file = join(dir, 'content');
  writeFileSync(file, `${timestamp}.${body}`);
  const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET, file], {
    encoding: 'utf8',
  });
  rmSync(dir, { recursive: true });
  return `v1=${output.trim().split(' ').at(-1)}`;
}

function send(
  changes: { timestamp?: string; signature?: string; body?: string; id?: string } = {},
) {
  const timestamp = changes.timestamp ?? String(Math.floor(Date.now() / 1000));
  const headers = {
    'X-SVC-Event-Id': changes.id ?? 'evt_1',
    'X-SVC-Event-Type': 'deal.closed',
    'X-SVC-Timestamp': timestamp,
    'X-SVC-Signature': changes.signature ?? opensslSignature(timestamp, BODY),
  };
  return fetch(`${receiver.url}/hooks`, { method: 'POST', headers, body: changes.body ?? BODY });
}

function tell(wish: unknown) {
  return fetch(`${receiver.url}/answer`, { method: 'PUT', body: JSON.stringify(wish) });
}

test('accepts what OpenSSL signed, UTF-8 included (spec §5.2)', async () => {
  expect((await send()).status).toBe(200);
  expect(receipts).toMatchObject([{ verdict: { ok: true }, eventType: 'deal.closed' }]);
});

const hoursAgo = String(Math.floor(Date.now() / 1000) - 7200);
test.each([
  ['a changed body', { body: BODY.replace('Zoë', 'Zoe') }],
  ['a signature without its prefix', { signature: 'f'.repeat(64) }],
  ['an empty signature', { signature: '' }],
  ['a truncated signature', { signature: 'v1=abcd' }],
  ['an old timestamp', { timestamp: hoursAgo }],
  ['a future timestamp', { timestamp: String(Math.floor(Date.now() / 1000) + 400) }],
  ['a timestamp that is no number', { timestamp: 'now' }],
])('answers 401 to %s (spec §7.2)', async (_what, changes) => {
  expect((await send(changes)).status).toBe(401);
  expect(receipts).toMatchObject([{ verdict: { ok: false } }]);
});

test('counts duplicates by event id', async () => {
  await send({ id: 'evt_twice' });
  await send({ id: 'evt_twice' });
  expect(receipts.map(({ seen }) => seen)).toEqual([1, 2]);
});

test.each([
  ['500', 500],
  ['404', 404],
  ['204', 204],
])('can be told to answer %s for a while, then 200 again', async (answer, status) => {
  expect((await tell({ answer, times: 1 })).status).toBe(200);
  expect((await send()).status).toBe(status);
  expect((await send()).status).toBe(200);
});

test('can be told to redirect, cut, hang and drip', async () => {
  await tell({ answer: 'redirect', times: 1 });
  const redirected = await fetch(`${receiver.url}/hooks`, {
    method: 'POST',
    body: '',
    redirect: 'manual',
  });
  expect(redirected.status).toBe(401); // a bad signature stays a bad signature
  await tell({ answer: '302', times: 1 });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = {
    'X-SVC-Timestamp': timestamp,
    'X-SVC-Signature': opensslSignature(timestamp, BODY),
  };
  const init = { method: 'POST', body: BODY, headers: signed, redirect: 'manual' as const };
  expect((await fetch(`${receiver.url}/hooks`, init)).status).toBe(302);
  await tell({ answer: 'cut', times: 1 });
  await expect(fetch(`${receiver.url}/hooks`, init)).rejects.toThrow();
  await tell({ answer: 'hang', times: 1 });
  const impatient = { ...init, signal: AbortSignal.timeout(200) };
  await expect(fetch(`${receiver.url}/hooks`, impatient)).rejects.toThrow();
  await tell({ answer: 'drip', times: 1 });
  const dripping = await fetch(`${receiver.url}/hooks`, init);
  expect(dripping.status).toBe(200);
  const chunk = await dripping.body?.getReader().read();
  expect(Buffer.from(chunk?.value ?? []).toString()).toBe('.');
});

test.each([
  [{ answer: 'maybe' }, 'answer'],
  [{ answer: '700' }, 'answer'],
  [{}, 'answer'],
  [{ answer: '500', times: 0 }, 'times'],
  [{ answer: '500', times: 1.5 }, 'times'],
  [{ answer: '500', times: null }, 'times'],
])('refuses to be told %j and names the field', async (wish, field) => {
  const response = await tell(wish);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toContain(`${field}:`);
});
