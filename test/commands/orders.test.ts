import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createList } from '../../src/lists/create-list.ts';
import { createLog } from '../../src/log.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import { submitCards } from '../../src/postcards/submit-cards.ts';
import { completeSkipTrace } from '../../src/skip-trace/complete-skip-trace.ts';
import { traceChunk } from '../../src/skip-trace/trace-chunk.ts';
import { newAddressees, newCampaign } from '../postcards/mailing.ts';
import { newParcels, paidBatch, RAW, setPlan } from '../skip-trace/tracing.ts';
import { runCli, runJson } from '../support/cli.ts';
import { TEST_KEY } from '../support/config.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/*
 * The commands for orders as an operator types them, each in a process of its own. No worker runs, so
 * that nothing moves by itself.
 */
const PATIENCE_MS = 180_000;

let records: TestRecords;
let env: Record<string, string>;
let accountId: string;
let folder: string;

beforeAll(async () => {
  records = await createTestRecords();
  env = {
    ...{ DATABASE_URL: records.url, SECRET_KEY: TEST_KEY.toString('hex'), LOG_LEVEL: 'silent' },
  };
  accountId = (await records.newAccount()).id;
  folder = await mkdtemp(join(tmpdir(), 'lead-events-orders-'));
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

const json = <T = Record<string, unknown>>(...args: string[]) => runJson<T>(args, env);

/** What a command prints for people. */
async function text(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The one JSON value of a command that is refused. */
async function refused(code: number, ...args: string[]): Promise<unknown> {
  const result = await runCli([...args, '--json'], env);
  expect(result.code, result.stdout).toBe(code);
  return JSON.parse(result.stdout);
}

/** A file with this in it. */
async function file(content: string): Promise<string> {
  const path = join(folder, `${Math.random()}.json`);
  await writeFile(path, content);
  return path;
}

describe('skip traces', () => {
  it(
    'are ordered, paid for, completed by hand and cancelled',
    async () => {
      const [one = '', two = '', three = ''] = await newParcels(records, 3, 'error_first');
      const batch = await json('skiptrace', 'order', '--parcel', `${one}, ${two},${three}`);
      expect(batch).toMatchObject({ orders: 3, byStatus: { QUEUED: 3 }, priceCents: 36 });
      const batchId = String(batch['batchId']);
      expect(await text('skiptrace', 'pay', batchId)).toContain('3: 3 PAID');

      const listed = await json<{ order_id: string; parcel_id: string }[]>('order', 'list');
      const orderId = (parcel: string) =>
        listed.find(({ parcel_id: id }) => id === parcel)?.order_id ?? '';
      const result = await file(
        JSON.stringify({ ...RAW, phones: [{ number: 'x' }, ...RAW.phones] }),
      );
      const completed = await json('skiptrace', 'complete', orderId(one), '--result', result);
      expect(completed).toEqual({
        ...{ id: orderId(one), status: 'FULFILLED', phones: 2, emails: 1, refused: 1 },
      });
      expect(await text('skiptrace', 'complete', orderId(two), '--simulated')).toContain(
        'FULFILLED',
      );
      expect(await refused(1, 'skiptrace', 'complete', orderId(two), '--simulated')).toMatchObject({
        error: 'conflict',
      });
      const shown = await text('order', 'show', orderId(one));
      for (const told of [
        ...['FULFILLED', '$0.12'],
        /known litigator +no\n/,
        /callable +1\n/,
        /\+17135550142 +mobile +clear +Example Wireless\n/,
        /\+17135550177 +landline +listed\n/,
        ...[/phone +0 +not_a_number/, 'ada.quillfeather@example.com'],
      ]) {
        expect(shown).toMatch(told);
      }
      expect(await json('order', 'show', orderId(one))).toMatchObject({
        ...{ litigator: false, vendor_status: null },
        phone_details: [{ number: '+17135550142' }, { number: '+17135550177', dnc: true }],
        refused: [{ kind: 'phone', index: 0, reason: 'not_a_number' }],
      });
      expect(await text('skiptrace', 'cancel', batchId)).toContain('2 FULFILLED');
      expect(await json<unknown[]>('order', 'list', '--status', 'cancelled')).toHaveLength(1);
      expect(await refused(1, 'skiptrace', 'pay', batchId)).toMatchObject({ error: 'conflict' });
    },
    PATIENCE_MS,
  );

  it(
    'of a list, at once with the payment; wrong calls and wrong files are told',
    async () => {
      const parcelIds = await newParcels(records, 2);
      const list = await createList(records.db, { accountId, name: 'L', parcelIds });
      const paid = await json('skiptrace', 'order', '--list', list.id, '--pay');
      expect(paid).toMatchObject({ orders: 2, byStatus: { PAID: 2 } });
      const [order] = await json<{ order_id: string }[]>(
        'order',
        'list',
        '--service',
        'skip_trace',
      );
      const orderId = order?.order_id ?? '';
      for (const args of [
        ['skiptrace', 'order'],
        ['skiptrace', 'order', '--list', 'a', '--parcel', 'b'],
        ['skiptrace', 'complete', orderId],
        ['order', 'list', '--status', 'done'],
        ['order', 'list', '--limit', '0'],
        ['order', 'list', '--limit', '5001'],
        ['order', 'list', '--offset', '-1'],
        ['order', 'list', '--offset', 'two'],
      ]) {
        expect(await refused(2, ...args)).toMatchObject({ error: 'usage' });
      }
      const complete = ['skiptrace', 'complete', orderId, '--result'];
      const fault = await runCli([...complete, await file('{ "phones": Quill'), '--json'], env);
      expect(fault).toMatchObject({ code: 1, stderr: 'result: the file is not JSON.\n' });
      const garbled = await file(JSON.stringify({ ...RAW, phones: 'none' }));
      expect(await refused(1, ...complete, garbled)).toMatchObject({
        ...{ error: 'bad_request', field: 'phones' },
      });
      for (const [path, why] of [
        [join(folder, 'none'), /no such file/],
        [folder, /directory/],
        [await file('[]'), /object/],
        [await file('null'), /object/],
        [await file('"Quill"'), /object/],
      ] as const) {
        const error = await refused(1, ...complete, path);
        expect(error).toMatchObject({ error: 'bad_request', field: 'result' });
        expect(error).toMatchObject({ message: expect.stringMatching(why) });
        expect(JSON.stringify(error)).not.toContain('Quill');
      }
    },
    PATIENCE_MS,
  );

  it(
    'are listed page by page, and by their batch; what the vendor said wrong is shown',
    async () => {
      const parcels = await newParcels(records, 3);
      const other = await paidBatch(records, accountId, await newParcels(records, 1));
      const { batchId, orderIds } = await paidBatch(records, accountId, parcels);
      const list = async (...args: string[]) =>
        (await json<{ order_id: string }[]>('order', 'list', ...args)).map((row) => row.order_id);
      const all = await list('--batch', batchId);
      expect([...all].sort()).toEqual(orderIds);
      expect(await list('--batch', batchId, '--limit', '2')).toEqual(all.slice(0, 2));
      expect(await list('--batch', batchId, '--limit', '2', '--offset', '2')).toEqual(all.slice(2));
      expect(await list('--batch', other.batchId)).toEqual(other.orderIds);
      expect(await list('--batch', 'batch_none')).toEqual([]);
      expect(await list('--offset', '3', '--limit', '1')).toEqual(other.orderIds);
      const page = await text('order', 'list', '--batch', batchId, '--limit', '2');
      expect(page).toContain('2 of 3; --offset 2 shows what follows');
      const log = createLog('silent');
      const tracer = { trace: () => Promise.resolve({ ...RAW, dnc_screened: 'yes' }) };
      await traceChunk({ ...records.context, tracer, log }, { batchId, after: null });
      expect(await text('order', 'show', all[0]!)).toMatch(
        /vendor +answer_unreadable: dnc_screened/,
      );
      await completeSkipTrace(records.context, {
        ...{ accountId, orderId: all[0]! },
        result: { ...RAW, litigator: true },
      });
      const shown = await text('order', 'show', all[0]!);
      expect(shown).toMatch(/known litigator +yes/);
      expect(shown).not.toContain('answer_unreadable');
      await setPlan(records, accountId, 'free');
      expect(await json('order', 'show', all[0]!)).toMatchObject({
        ...{ contacts: null, phone_details: [], litigator: null },
      });
      await setPlan(records, accountId, 'elite');
    },
    PATIENCE_MS,
  );

  it(
    'need a plan with contacts, which is named',
    async () => {
      await setPlan(records, accountId, 'free');
      const [parcel = ''] = await newParcels(records, 1);
      expect(await refused(1, 'skiptrace', 'order', '--parcel', parcel)).toMatchObject({
        ...{ error: 'upgrade_required', required_plan: 'pro' },
      });
      await setPlan(records, accountId, 'elite');
    },
    PATIENCE_MS,
  );
});

describe('postcards', () => {
  it(
    'are made, advanced, shown, listed and cancelled',
    async () => {
      const without = await newAddressees(records, 1, 'no_address');
      const parcelIds = [...(await newAddressees(records, 2)), ...without];
      const list = await createList(records.db, { accountId, name: 'L', parcelIds });
      const create = ['postcard', 'create', '--list', list.id, '--name', 'Spring'];
      const made = await json(...create);
      expect(made).toMatchObject({ state: 'draft', cards: 2, withoutAddress: without });
      const id = String(made['id']);
      expect(await refused(1, 'postcard', 'advance', id, '--to', 'mailed')).toMatchObject({
        ...{ error: 'conflict', message: expect.stringContaining('it may move to production') },
      });
      expect(await text('postcard', 'advance', id, '--to', 'production')).toContain('2 PAID');
      expect(await refused(1, 'postcard', 'advance', id)).toMatchObject({
        ...{ error: 'conflict', message: expect.stringContaining('not with the print vendor yet') },
      });
      const printer = createSimulatedPrinter();
      await submitCards({ ...records.context, printer }, id);
      expect(await json('postcard', 'advance', id)).toMatchObject({
        ...{ state: 'mailed', byState: { mailed: 2 }, byStatus: { FULFILLED: 2 } },
      });
      expect(await text('postcard', 'show', id)).toMatch(/est\. delivery\s+\d{4}-\d\d-\d\d\n/);
      expect(await refused(1, 'postcard', 'cancel', id)).toMatchObject({ error: 'conflict' });
      const another = await text(...create);
      expect(another).toContain(`No card, for want of an address: ${without[0]}`);
      const other = /cmp_[0-9a-f]{32}/.exec(another)?.[0] ?? '';
      expect(await text('postcard', 'cancel', other)).toContain('cancelled at');
      expect(await json('postcard', 'list')).toMatchObject([{ id: other }, { id }]);
      const cards = await json<{ order_id: string }[]>('order', 'list', '--campaign', other);
      expect(cards).toHaveLength(2);
      expect(await text('order', 'show', cards[0]?.order_id ?? '')).toContain(other);
    },
    PATIENCE_MS,
  );

  it(
    'say so when every card was rejected, and can then be cancelled',
    async () => {
      const parcels = await newAddressees(records, 2, 'incomplete_address');
      const { campaign } = await newCampaign(records, accountId, parcels);
      await json('postcard', 'advance', campaign.id);
      await submitCards({ ...records.context, printer: createSimulatedPrinter() }, campaign.id);
      for (const command of [['show', campaign.id], ['list']]) {
        const told = await text('postcard', ...command);
        expect(told).toContain('production: every card was rejected');
      }
      expect(await text('postcard', 'cancel', campaign.id)).toMatch(
        /state +cancelled at .* \(every card was rejected\)/,
      );
      expect(await text('postcard', 'list')).toMatch(new RegExp(`${campaign.id} +cancelled`));
    },
    PATIENCE_MS,
  );
});
