import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orders, outbox } from '../../drizzle/schema.ts';
import { ORDER_MOVES, ORDER_STATUSES, type OrderStatus } from '../../src/domain/order-status.ts';
import { PRICE_CENTS } from '../../src/domain/price.ts';
import { newId } from '../../src/ids.ts';
import { createList } from '../../src/lists/create-list.ts';
import { requireOrderMove } from '../../src/orders/order-move.ts';
import { MOST_ORDERS } from '../../src/orders/order.ts';
import { showOrder } from '../../src/orders/show-order.ts';
import { cancelOrders } from '../../src/skip-trace/cancel-orders.ts';
import { completeSkipTrace } from '../../src/skip-trace/complete-skip-trace.ts';
import { orderSkipTrace } from '../../src/skip-trace/order-skip-trace.ts';
import { payOrders } from '../../src/skip-trace/pay-orders.ts';
import { insertParcels, numbered } from '../read-api/data.ts';
import { eventsOf } from '../support/event-log.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { newParcels, orderIds, paidBatch, RAW, setPlan, statusOf } from './tracing.ts';

/* Ordering skip traces, paying for them and cancelling them (spec §§2.7, 3.2). Nothing traces here. */
let records: TestRecords;
let accountId: string;
let parcels: string[];

beforeAll(async () => {
  records = await createTestRecords();
  parcels = await newParcels(records, 3);
});
beforeEach(async () => {
  accountId = (await records.newAccount()).id;
});
afterAll(() => records.close());

const rows = () => records.db.select().from(orders).where(eq(orders.accountId, accountId));
const tasks = () => records.db.select().from(outbox).where(eq(outbox.accountId, accountId));
const order = (more: object = {}) =>
  orderSkipTrace(records.context, { accountId, parcelIds: parcels, ...more });

describe('an order', () => {
  it('is QUEUED, one for each lead, of one batch, at the price of the table', async () => {
    const batch = await order();
    expect(batch).toEqual({
      ...{ batchId: batch.batchId, orders: 3, byStatus: { QUEUED: 3 } },
      priceCents: 3 * PRICE_CENTS.SKIP_TRACE,
    });
    const made = await rows();
    expect(made.map(({ parcelId }) => parcelId).sort()).toEqual([...parcels].sort());
    for (const row of made) {
      expect(row).toMatchObject({
        ...{ batchId: batch.batchId, service: 'SKIP_TRACE', status: 'QUEUED' },
        ...{ priceCents: PRICE_CENTS.SKIP_TRACE, listId: '', listName: '', paidAt: null },
        ...{ fulfilledAt: null, contacts: null, postcardState: null },
      });
    }
    expect(await tasks()).toEqual([]);
    expect(await eventsOf(records, accountId, 'lead.skiptrace.completed')).toEqual([]);
  });

  it('is made once for a lead that is named twice', async () => {
    const [one = ''] = parcels;
    expect(await order({ parcelIds: [one, one] })).toMatchObject({ orders: 1 });
  });

  it('of a list is for its leads, and keeps what the list is called', async () => {
    const list = await createList(records.db, { accountId, name: 'North', parcelIds: parcels });
    const batch = await orderSkipTrace(records.context, { accountId, listId: list.id });
    expect(batch).toMatchObject({ orders: 3 });
    for (const row of await rows()) {
      expect(row).toMatchObject({ listId: list.id, listName: 'North' });
    }
  });

  it.each([
    ['a parcel that does not exist', { parcelIds: ['cedar:none'] }, 'parcels'],
    ['no parcel', { parcelIds: [] }, 'parcels'],
    ['too many', { parcelIds: Array.from({ length: 5_001 }, (_, i) => `x:${i}`) }, 'parcels'],
  ])('of %s is refused, and nothing is ordered', async (_what, wish, field) => {
    await expect(order(wish)).rejects.toMatchObject({ code: 'bad_request', field });
    expect(await rows()).toEqual([]);
  });

  it('of an empty list, or of one of somebody else, is refused', async () => {
    const empty = await createList(records.db, { accountId, name: 'Empty' });
    const wish = { accountId, listId: empty.id };
    await expect(orderSkipTrace(records.context, wish)).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'list' },
    });
    const other = (await records.newAccount()).id;
    const theirs = await createList(records.db, {
      accountId: other,
      name: 'L',
      parcelIds: parcels,
    });
    await expect(
      orderSkipTrace(records.context, { accountId, listId: theirs.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await rows()).toEqual([]);
  });

  it('of a list takes 5,000 leads, and none of one that has more', async () => {
    const parcelIds = await insertParcels(
      records.db,
      numbered('oak', MOST_ORDERS + 1, () => ({})),
    );
    const { db } = records;
    const full = await createList(db, { accountId, name: 'F', parcelIds: parcelIds.slice(1) });
    const over = await createList(db, { accountId, name: 'O', parcelIds });
    const made = await orderSkipTrace(records.context, { accountId, listId: full.id });
    expect(made.orders).toBe(MOST_ORDERS);
    await expect(
      orderSkipTrace(records.context, { accountId, listId: over.id }),
    ).rejects.toMatchObject({ code: 'bad_request', message: /5000 leads/ });
  });

  it('of a Free account is refused with the plan it needs', async () => {
    await setPlan(records, accountId, 'free');
    const refused = { code: 'upgrade_required', requiredPlan: 'pro' };
    await expect(order()).rejects.toMatchObject(refused);
    expect(await rows()).toEqual([]);
    await setPlan(records, accountId, 'pro');
    const { batchId } = await order();
    await setPlan(records, accountId, 'free');
    await expect(payOrders(records.context, { accountId, batchId })).rejects.toMatchObject(refused);
    expect((await rows()).every(({ status }) => status === 'QUEUED')).toBe(true);
  });
});

describe('paying', () => {
  it('moves every order of the batch to PAID, and has one workflow started', async () => {
    const { batchId } = await order();
    const paid = await payOrders(records.context, { accountId, batchId });
    expect(paid).toMatchObject({ byStatus: { PAID: 3 } });
    for (const row of await rows()) expect(row.paidAt).not.toBeNull();
    expect(await tasks()).toMatchObject([
      { key: `skiptrace:${batchId}`, task: 'skip_trace', subjectId: batchId },
    ]);
  });

  it('happens once, however often and however quickly it is asked for', async () => {
    const { batchId } = await order();
    const pay = () => payOrders(records.context, { accountId, batchId });
    const results = await Promise.allSettled([pay(), pay(), pay()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    await expect(pay()).rejects.toMatchObject({
      message: /from PAID to PAID; from PAID it may move to FULFILLED, CANCELLED/,
    });
    expect(await tasks()).toHaveLength(1);
  });

  it("of somebody else's batch, or of none, is not found", async () => {
    const { batchId } = await order();
    const other = (await records.newAccount()).id;
    for (const which of [
      { accountId: other, batchId },
      { accountId, batchId: newId('batch') },
    ]) {
      await expect(payOrders(records.context, which)).rejects.toMatchObject({ code: 'not_found' });
      await expect(cancelOrders(records.context, which)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });
});

describe('cancelling', () => {
  it('ends what is queued or paid for, and costs nothing', async () => {
    const queued = await order();
    const { batchId } = await paidBatch(records, accountId, parcels);
    for (const id of [queued.batchId, batchId]) {
      const cancelled = await cancelOrders(records.context, { accountId, batchId: id });
      expect(cancelled).toMatchObject({ byStatus: { CANCELLED: 3 }, priceCents: 0 });
      await expect(cancelOrders(records.context, { accountId, batchId: id })).rejects.toMatchObject(
        { code: 'conflict', message: /CANCELLED is final/ },
      );
    }
  });

  it('leaves what is fulfilled as it is', async () => {
    const { batchId, orderIds } = await paidBatch(records, accountId, parcels);
    const [orderId = ''] = orderIds;
    await completeSkipTrace(records.context, { accountId, orderId, result: RAW });
    const after = await cancelOrders(records.context, { accountId, batchId });
    expect(after).toMatchObject({ byStatus: { FULFILLED: 1, CANCELLED: 2 } });
    expect(after.priceCents).toBe(PRICE_CENTS.SKIP_TRACE);
  });
});

describe('moves of an order (spec §3.2)', () => {
  it('are the four of the table; any other is a conflict that says what is allowed', () => {
    const allowed: string[] = [];
    for (const from of ORDER_STATUSES) {
      for (const to of ORDER_STATUSES) {
        if (ORDER_MOVES[from].includes(to)) {
          allowed.push(`${from} ${to}`);
          expect(() => requireOrderMove(from, to)).not.toThrow();
          continue;
        }
        const message = ORDER_MOVES[from].join(', ') || 'is final';
        expect(() => requireOrderMove(from, to)).toThrow(message);
      }
    }
    expect(allowed).toEqual([
      ...['QUEUED PAID', 'QUEUED CANCELLED', 'PAID FULFILLED', 'PAID CANCELLED'],
    ]);
  });

  it.each(['QUEUED', 'FULFILLED', 'CANCELLED'] as const)(
    'by hand a %s order cannot be completed',
    async (status: OrderStatus) => {
      const { batchId } = await order({ parcelIds: parcels.slice(0, 1) });
      const [orderId = ''] = await orderIds(records.context, accountId, batchId);
      const which = { accountId, orderId, result: RAW };
      if (status === 'CANCELLED') await cancelOrders(records.context, { accountId, batchId });
      if (status === 'FULFILLED') {
        await payOrders(records.context, { accountId, batchId });
        await completeSkipTrace(records.context, which);
      }
      await expect(completeSkipTrace(records.context, which)).rejects.toMatchObject({
        ...{ code: 'conflict', message: new RegExp(`from ${status} to FULFILLED`) },
      });
      expect(await statusOf(records, accountId, orderId)).toBe(status);
      const events = await eventsOf(records, accountId, 'lead.skiptrace.completed');
      expect(events).toHaveLength(status === 'FULFILLED' ? 1 : 0);
    },
  );

  it("somebody else's order is not found", async () => {
    const { orderIds } = await paidBatch(records, accountId, parcels.slice(0, 1));
    const other = (await records.newAccount()).id;
    const which = { accountId: other, orderId: orderIds[0]! };
    await expect(
      completeSkipTrace(records.context, { ...which, result: RAW }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(showOrder(records.context, which)).rejects.toMatchObject({ code: 'not_found' });
  });
});
