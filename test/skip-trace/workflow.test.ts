import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orders, outbox } from '../../drizzle/schema.ts';
import { skipTraceWorkflowId } from '../../src/domain/workflow-id.ts';
import { requeueOverdue } from '../../src/relay/reconcile.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { cancelOrders } from '../../src/skip-trace/cancel-orders.ts';
import { completeSkipTrace } from '../../src/skip-trace/complete-skip-trace.ts';
import { traceChunk } from '../../src/skip-trace/trace-chunk.ts';
import type { SkipTraceVendor } from '../../src/skip-trace/vendor.ts';
import { traceProgressQuery } from '../../workflows/contract.ts';
import { createLog } from '../../src/log.ts';
import { openDatabase } from '../../src/db/client.ts';
import { showOrder } from '../../src/orders/show-order.ts';
import { eventually } from '../support/customer.ts';
import { eventsOf } from '../support/event-log.ts';
import { historyToJson, readableText } from '../support/history.ts';
import { startScene, type Scene } from '../support/scene.ts';
import { newParcels, paidBatch, PRIVATE_WORDS, RAW } from './tracing.ts';

/* `skiptrace:<batch id>`, on the real server (spec §6.1: one event for each lead of a batch). */
let scene: Scene;
let accountId: string;

beforeAll(async () => {
  scene = await startScene();
  accountId = (await scene.records.newAccount()).id;
});
afterAll(() => scene.close());

const handle = (batchId: string) =>
  scene.delivering.client.workflow.getHandle(skipTraceWorkflowId(batchId));
const pay = (parcelIds: string[]) => paidBatch(scene.records, accountId, parcelIds);
/** What it came to, once there is a workflow and it has ended. */
async function result(batchId: string) {
  await eventually(() =>
    handle(batchId)
      .describe()
      .catch(() => undefined),
  );
  return (await handle(batchId).result()) as unknown;
}
const eventsOfBatch = async (batchId: string) =>
  (await eventsOf(scene.records, accountId, 'lead.skiptrace.completed')).filter(
    ({ data }) => data.batch_id === batchId,
  );
const ofBatch = (batchId: string) =>
  scene.records.db.select().from(orders).where(eq(orders.batchId, batchId));

describe('a batch that is paid for', () => {
  it('has each order fulfilled with one event, delivered; also those whose vendor fails at first', async () => {
    const { records } = scene;
    const hook = scene.newHook();
    await records.newEndpoint(accountId, hook.url, ['lead.skiptrace.completed']);
    const parcels = [
      ...(await newParcels(records, 60)),
      ...(await newParcels(records, 3, 'error_first')),
      ...(await newParcels(records, 2, 'nothing')),
      ...(await newParcels(records, 2, 'litigator')),
      ...(await newParcels(records, 2, 'unscreened')),
    ];
    const { batchId, orderIds } = await pay(parcels);
    expect(await result(batchId)).toMatchObject({ batchId, total: 69, fulfilled: 69, left: 0 });
    const events = await eventsOfBatch(batchId);
    expect(events.map(({ data }) => data.order_id).sort()).toEqual(orderIds);
    for (const { data } of events) {
      if (data.litigator) expect(data.callable_phones).toBe(0);
      if (!data.dnc_screened) {
        expect(data.phone_details.every(({ dnc_status: status }) => status === 'unknown')).toBe(
          true,
        );
      }
    }
    await eventually(() => hook.received.length === 69);
    const { staticSummary } = await handle(batchId).describe();
    expect(await staticSummary()).toBe('skip traces of a batch of leads');
    const description = await handle(batchId).describe();
    expect(JSON.stringify(description.searchAttributes)).toContain(accountId);
    expect(await handle(batchId).query(traceProgressQuery)).toMatchObject({
      left: 0,
      nextAt: null,
    });
  });

  it('leaves no phone, email, address or name in its history', async () => {
    const parcels = await newParcels(scene.records, 3, 'error_first');
    const { batchId } = await pay([...parcels, ...(await newParcels(scene.records, 5, 'found'))]);
    await result(batchId);
    const text = readableText(historyToJson(await handle(batchId).fetchHistory()));
    expect(text).toContain(batchId);
    expect(text).toContain('the vendor failed 3');
    const found = (await eventsOfBatch(batchId)).flatMap(({ data }) => [
      ...[...data.phones, ...data.emails, data.address, data.mailing_address, data.parcel_id],
    ]);
    expect(found.some((word) => word.startsWith('+1'))).toBe(true);
    for (const word of [...PRIVATE_WORDS, 'cedar:', 'Millbrook', '@example.', ...found]) {
      expect(text.includes(word), word).toBe(false);
    }
    expect(text).not.toMatch(/\+1\d{10}/);
  });

  it('is restarted by the reconciler when its workflow was lost', async () => {
    const { records } = scene;
    // Nobody has told Temporal: as if the task and the workflow were both lost.
    const { batchId, orderIds } = await records.db.transaction(async (tx) => {
      const context = { ...records.context, db: tx };
      const made = await paidBatch({ ...records, context }, accountId, [
        ...(await newParcels({ ...records, db: tx }, 2, 'found')),
      ]);
      await tx.delete(outbox).where(eq(outbox.subjectId, made.batchId));
      return made;
    });
    expect(
      await handle(batchId)
        .describe()
        .catch(() => 'none'),
    ).toBe('none');
    await requeueOverdue(records.db, PAUSE_POLICY);
    const queued = () => records.db.select().from(outbox).where(eq(outbox.subjectId, batchId));
    expect(await queued()).toEqual([]);
    await records.db
      .update(orders)
      .set({ paidAt: sql`paid_at - interval '2 minutes'` })
      .where(eq(orders.batchId, batchId));
    await requeueOverdue(records.db, PAUSE_POLICY);
    // The relay looks by itself within a second.
    expect(await result(batchId)).toMatchObject({ fulfilled: 2, left: 0 });
    expect((await eventsOfBatch(batchId)).map(({ data }) => data.order_id).sort()).toEqual(
      orderIds,
    );
  });
});

describe('a part of a batch', () => {
  /** A vendor that does as the test says, instead of the simulated one. */
  const context = (tracer: SkipTraceVendor, log = createLog('silent')) => ({
    ...{ ...scene.records.context, tracer, log },
  });
  /** A log whose lines can be looked at. */
  const keptLog = () => {
    const lines: string[] = [];
    return { lines, log: createLog('info', { write: (line: string) => void lines.push(line) }) };
  };
  const vendorStatusOf = async (batchId: string) =>
    Object.fromEntries((await ofBatch(batchId)).map((row) => [row.id, row.vendorStatus]));
  /** A batch that no workflow works on. */
  const quiet = async (count: number) => {
    const made = await pay(await newParcels(scene.records, count, 'found'));
    return made;
  };
  const unpaidOfVendor = async (batchId: string) =>
    (await ofBatch(batchId)).filter(({ status }) => status === 'PAID').length;

  it('passes over what the vendor fails or garbles, and holds up no other', async () => {
    const other = await scene.records.newAccount();
    const parcels = await newParcels(scene.records, 10);
    const { batchId, orderIds } = await unstarted(other.id, parcels);
    const asked: string[] = [];
    const bad = new Set([orderIds[0], orderIds[4]]);
    const tracer: SkipTraceVendor = {
      trace({ orderId, ownerName }) {
        asked.push(orderId);
        if (orderId === orderIds[0]) return Promise.reject(new Error(`no ${ownerName}`));
        return Promise.resolve(orderId === orderIds[4] ? { phones: 'none' } : RAW);
      },
    };
    const chunk = await traceChunk(context(tracer), { batchId, after: null });
    expect(chunk).toEqual({ traced: 8, failed: 2, next: null, left: 2, fulfilled: 8, total: 10 });
    expect(new Set(asked)).toEqual(new Set(orderIds));
    const open = (await ofBatch(batchId)).filter(({ status }) => status === 'PAID');
    expect(new Set(open.map(({ id }) => id))).toEqual(bad);
    expect(await vendorStatusOf(batchId)).toMatchObject({
      ...{ [orderIds[0]!]: null, [orderIds[4]!]: 'answer_unreadable: traced_at' },
    });
    // The next round asks for these alone.
    asked.length = 0;
    await traceChunk(context({ ...tracer, trace: () => Promise.resolve(RAW) }), {
      ...{ batchId, after: null },
    });
    expect(await unpaidOfVendor(batchId)).toBe(0);
    expect(new Set(Object.values(await vendorStatusOf(batchId)))).toEqual(new Set([null]));
  });

  it('says with the order and in the log why an answer could not be read, without repeating it', async () => {
    const other = await scene.records.newAccount();
    const { batchId, orderIds } = await unstarted(other.id, await newParcels(scene.records, 3));
    const answers = new Map<string | undefined, unknown>([
      [orderIds[0], 'Quillfeather'],
      [orderIds[1], { ...RAW, phones: { number: '(713) 555-0142' } }],
      [orderIds[2], { ...RAW, dnc_screened: 'Quillfeather' }],
    ]);
    const tracer: SkipTraceVendor = {
      trace: ({ orderId }) => Promise.resolve(answers.get(orderId)),
    };
    const { lines, log } = keptLog();
    const chunk = await traceChunk(context(tracer, log), { batchId, after: null });
    expect(chunk).toMatchObject({ traced: 0, failed: 3, left: 3 });
    const fields = ['input', 'phones', 'dnc_screened'];
    for (const [i, field] of fields.entries()) {
      const shown = await showOrder(scene.records.context, {
        ...{ accountId: other.id, orderId: orderIds[i]! },
      });
      expect(shown).toMatchObject({ status: 'PAID', vendor_status: `answer_unreadable: ${field}` });
      expect(lines.find((line) => line.includes(orderIds[i]!))).toContain(`"field":"${field}"`);
    }
    expect(lines).toHaveLength(3);
    expect(lines.join()).not.toMatch(/Quillfeather|555/);
  });

  it('has no order held up by one that brings our own code to a fall', async () => {
    const other = await scene.records.newAccount();
    const { batchId, orderIds } = await unstarted(other.id, await newParcels(scene.records, 10));
    const bad = orderIds[3]!;
    const fault = new TypeError('cannot read +1 713 555 0142\n    at Quillfeather of +17135550142');
    const tracer: SkipTraceVendor = {
      trace: ({ orderId }) =>
        Promise.resolve(
          orderId === bad
            ? Object.defineProperty({ ...RAW }, 'phones', {
                get(): never {
                  throw fault;
                },
              })
            : RAW,
        ),
    };
    const { lines, log } = keptLog();
    const chunk = await traceChunk(context(tracer, log), { batchId, after: null });
    expect(chunk).toMatchObject({ traced: 9, failed: 1, left: 1, fulfilled: 9 });
    expect((await vendorStatusOf(batchId))[bad]).toBe('answer_not_processed');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ orderId: bad, error: 'TypeError', level: 50 });
    expect(lines[0]).not.toMatch(/Quillfeather|555/);
  });

  it('leaves trouble with the database to the one who runs it', async () => {
    const other = await scene.records.newAccount();
    const { batchId } = await unstarted(other.id, await newParcels(scene.records, 2));
    const lost = openDatabase(scene.records.url, { max: 2, name: 'lost' });
    const tracer: SkipTraceVendor = {
      async trace() {
        await lost.db.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => null);
        await lost.close();
        return RAW;
      },
    };
    const { lines, log } = keptLog();
    const input = { batchId, after: null };
    await expect(traceChunk({ ...context(tracer, log), db: lost.db }, input)).rejects.toThrow();
    expect(lines).toEqual([]);
    expect(await unpaidOfVendor(batchId)).toBe(2);
  });

  it('leaves an order alone that is cancelled, or completed by hand, while the vendor is asked', async () => {
    const other = await scene.records.newAccount();
    const { batchId, orderIds } = await unstarted(other.id, await newParcels(scene.records, 2));
    const [byHand = ''] = orderIds;
    const which = { accountId: other.id, orderId: byHand };
    const meanwhile = (async () => {
      await completeSkipTrace(scene.records.context, {
        ...which,
        result: { ...RAW, emails: ['hand@example.com'] },
      });
      await cancelOrders(scene.records.context, { accountId: other.id, batchId });
    })();
    const tracer: SkipTraceVendor = {
      async trace() {
        await meanwhile;
        return RAW;
      },
    };
    const chunk = await traceChunk(context(tracer), { batchId, after: null });
    expect(chunk).toMatchObject({ failed: 0, left: 0, fulfilled: 1, total: 2 });
    const rows = await ofBatch(batchId);
    expect(rows.map(({ status }) => status).sort()).toEqual(['CANCELLED', 'FULFILLED']);
    expect(rows.find(({ id }) => id === byHand)?.contacts?.emails).toEqual(['hand@example.com']);
    const events = await eventsOf(scene.records, other.id, 'lead.skiptrace.completed');
    expect(events).toHaveLength(1);
  });

  it('asked for twice at once, as when a worker was taken for dead, makes one event for each order', async () => {
    const { batchId } = await quiet(12);
    const tracer: SkipTraceVendor = { trace: () => Promise.resolve(RAW) };
    await Promise.all([1, 2, 3].map(() => traceChunk(context(tracer), { batchId, after: null })));
    await result(batchId);
    expect(await eventsOfBatch(batchId)).toHaveLength(12);
  });

  it('ends when its worker stops, without a word of the vendor', async () => {
    const other = await scene.records.newAccount();
    const { batchId } = await unstarted(other.id, await newParcels(scene.records, 1));
    const stopping = new AbortController();
    const tracer: SkipTraceVendor = {
      trace: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('Quillfeather')));
          stopping.abort();
        }),
    };
    const input = { batchId, after: null };
    const stopped = traceChunk(context(tracer), input, stopping.signal);
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(await unpaidOfVendor(batchId)).toBe(1);
  });

  /** Paid for, and nobody is told of it. */
  async function unstarted(owner: string, parcelIds: string[]) {
    const { records } = scene;
    return records.db.transaction(async (tx) => {
      const inside = { ...records, context: { ...records.context, db: tx } };
      const made = await paidBatch(inside, owner, parcelIds);
      await tx.delete(outbox).where(eq(outbox.subjectId, made.batchId));
      return made;
    });
  }
});
