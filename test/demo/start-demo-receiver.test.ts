import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccounts } from '../../src/accounts/accounts.ts';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { prepareSecret } from '../../src/endpoints/rotate-secret.ts';
import { startDemoReceiver, type Demo } from '../../src/processes/start-demo-receiver.ts';
import type { ServiceContext } from '../../src/service-context.ts';
import { createStack } from '../../src/stack.ts';
import { testConfig } from '../support/config.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/* The demo receiver verifies for whoever sends to it. */
let records: TestRecords;
let context: ServiceContext;
let demo: Demo;
const opened = createStack();

beforeAll(async () => {
  records = await createTestRecords();
  // Tests send to loopback.
  context = { ...records.context, checkUrl: (raw) => Promise.resolve(new URL(raw)) };
  demo = await startDemoReceiver(
    testConfig(),
    opened,
    { onReceipt: () => undefined, progress: () => undefined },
    () => context,
  );
}, 60_000);
afterAll(async () => {
  await opened.close();
  await records.close();
});

async function sendSignedWith(secret: string): Promise<number> {
  const [timestamp, body] = [String(Math.floor(Date.now() / 1000)), '{}'];
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'X-SVC-Timestamp': timestamp, 'X-SVC-Signature': `v1=${digest}` };
  return (await fetch(`${demo.receiverUrl}/hooks`, { method: 'POST', headers, body })).status;
}

test('an endpoint of any account at the receiver is verified, until it is deleted', async () => {
  expect(await sendSignedWith(demo.secret)).toBe(200);
  const other = (await listAccounts(records.db)).find(({ id }) => id !== demo.account.id)!;
  const create = (url: string) =>
    createEndpoint(context, { accountId: other.id, url, eventTypes: ['deal.closed'] });
  const endpoint = await create(`${demo.receiverUrl}/mine?of=other`);
  expect(await sendSignedWith(endpoint.secret)).toBe(200);
  const which = { accountId: other.id, endpointId: endpoint.id };
  const { nextSecret } = await prepareSecret(context, which);
  expect(await sendSignedWith(endpoint.secret)).toBe(200);
  expect(await sendSignedWith(nextSecret)).toBe(200);

  const elsewhere = await create('http://127.0.0.1:1/mine');
  expect(await sendSignedWith(elsewhere.secret)).toBe(401);
  await deleteEndpoint(context, which);
  expect(await sendSignedWith(endpoint.secret)).toBe(401);
  expect(await sendSignedWith(demo.secret)).toBe(200);
});
