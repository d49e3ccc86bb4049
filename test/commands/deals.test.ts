import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCommandLine, type Command } from '../../src/commands/command.ts';
import { dealShow } from '../../src/commands/deal-show.ts';
import { dealCreate, dealList, dealMove, dealUpdate } from '../../src/commands/deal.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

let records: TestRecords;
let folder: string;
let accountId: string;
beforeAll(async () => {
  records = await createTestRecords();
  folder = await mkdtemp(join(tmpdir(), 'lead-events-commands-'));
  accountId = (await records.newAccount()).id;
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

/** What a command answers, as the command line would run it. */
async function run(command: Command, ...argv: string[]) {
  const config = testConfig({
    ...{ DATABASE_URL: records.url, SECRET_KEY: TEST_KEY.toString('hex'), DATA_DIR: folder },
  });
  const parsed = parseCommandLine(command, argv);
  const answer = await command.run({ ...parsed, config, progress: () => undefined });
  if (!answer) throw new Error('no answer');
  return answer as { text: string; json: Record<string, unknown> };
}

test('a deal is created, changed, moved, listed and shown', async () => {
  const endpoint = await records.newEndpoint(accountId, 'https://a.example.com/');
  const words = ['--source', 'farm', '--created-via', 'import', '--sub-state', 'researching'];
  const created = await run(dealCreate, '--parcel', TEST_PARCEL, ...words);
  expect(created.json).toMatchObject({
    ...{ status: 'NEW', source: 'farm', createdVia: 'import', subState: 'researching' },
  });
  const id = String(created.json['id']);

  const due = ['--next-action', 'Call', '--next-action-due', '2026-03-01'];
  const changed = await run(dealUpdate, id, ...due, '--sub-state', '');
  expect(changed.json).toMatchObject({ subState: null, nextActionDue: '2026-03-01' });
  const cleared = await run(dealUpdate, id, '--next-action', '');
  expect(cleared.json).toMatchObject({ nextAction: null, nextActionDue: null });

  await run(dealMove, id, 'dead', '--dead-reason', 'price');
  expect((await run(dealList, '--status', 'dead')).text).toContain(id);
  expect((await run(dealList, '--status', 'NEW')).text).toBe('(none)');

  const shown = await run(dealShow, id);
  expect(shown.json).toMatchObject({
    ...{ id, status: 'DEAD', deadReason: 'price', address: '12 Alder Ct, Millbrook, TX 75010' },
    events: [
      { fromStatus: null, toStatus: 'NEW', deliveries: [{ endpointId: endpoint.id }] },
      { fromStatus: 'NEW', toStatus: 'DEAD', deliveries: [{ endpointId: endpoint.id }] },
    ],
  });
  expect(shown.text).toMatch(/^dead_reason +price$/m);
  expect(shown.text).not.toContain('next_action');
  expect(shown.text).toMatch(new RegExp(`NEW → DEAD +dlv_\\w+ +pending +0 +${endpoint.id}$`, 'm'));
});

test('a deal that closes without actuals says how they are given, and takes them then', async () => {
  const { id } = await records.newDeal(accountId);
  const account = ['--account', accountId];
  await run(dealMove, id, 'UNDER_CONTRACT', ...account);
  const closed = await run(dealMove, id, 'CLOSED', ...account);
  expect(closed.text).toContain(`deal update ${id} --actual-fee-cents <cents>`);
  const given = await run(dealUpdate, id, '--actual-fee-cents', '1350000', ...account);
  expect(given.json).toMatchObject({ status: 'CLOSED', actualFeeCents: 1_350_000 });
  expect((await run(dealShow, id, ...account)).text).toContain('deal.closed');

  const { id: other } = await records.newDeal(accountId);
  await run(dealMove, other, 'UNDER_CONTRACT', ...account);
  const whole = await run(dealMove, other, 'CLOSED', '--actual-profit-cents', '5', ...account);
  expect(whole.text).not.toContain('actual');
});

test('a deal whose moves nobody is subscribed to is shown as well', async () => {
  const { id: other } = await records.newAccount();
  const { id } = await records.newDeal(other);
  const shown = await run(dealShow, id, '--account', other);
  expect(shown.text).toMatch(/\(new\) → NEW +- +no endpoint/);
});

test.each([
  ['exit_strategy', ['--exit-strategy', 'magic']],
  ['sub_state', ['--sub-state', 'option_period']],
  ['changes', []],
])('a wrong %s is named', async (field, options) => {
  const { id } = await records.newDeal(accountId);
  await expect(run(dealUpdate, id, '--account', accountId, ...options)).rejects.toMatchObject({
    ...{ code: 'bad_request', field },
  });
});

test('a wrong stage to list is named, with what was given and what is allowed', async () => {
  await expect(run(dealList, '--account', accountId, '--status', 'SOLD')).rejects.toMatchObject({
    ...{ code: 'bad_request', field: 'status' },
    message: expect.stringMatching(/^status: must be one of NEW, .+, DEAD, not "SOLD"\.$/),
  });
});
