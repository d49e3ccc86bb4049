import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_STATUSES } from '../../src/domain/order-status.ts';
import { POSTCARD_STATES } from '../../src/domain/postcard-state.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { errorOf, startContract, type Caller, type Contract, type Json } from './contract.ts';
import { CONTACTS, insertOrder, insertSkipTrace } from './data.ts';

/* GET /v1/orders (spec §§2.7, 4.5). */
let contract: Contract;
const parcelId = 'ash:7';

interface Orders {
  orders: ({ order_id: string } & Json)[];
  total: number;
  limit: number;
  offset: number;
}

beforeAll(async () => {
  contract = await startContract();
  await saveParcel(contract.records.db, {
    ...{ county: 'ash', account_num: '7', address: '7 Birch Rd', city: 'Millbrook', zip: '75010' },
    owner_name: 'Ada Bell',
  });
});
afterAll(() => contract.close());

const newOrder = ({ accountId }: Caller, order = {}) =>
  insertOrder(contract.records.db, { accountId, parcelId, ...order });
const ids = (page: Orders) => page.orders.map(({ order_id: id }) => id);

describe('an order (spec §2.7)', () => {
  const parcel = {
    ...{ parcel_id: parcelId, county: 'ash', account_num: '7', address: '7 Birch Rd' },
    ...{ owner_name: 'Ada Bell', lead_url: 'https://app.example.com/leads/ash/7' },
  };

  it('a skip trace that is fulfilled, with its contacts', async () => {
    const caller = await contract.newCaller();
    const { accountId, ok } = caller;
    const id = await insertSkipTrace(contract.records.db, {
      ...{ accountId, parcelId, batchId: 'batch_9', listId: 'list_9', priceCents: 15 },
      createdAt: '2026-02-03T04:05:06.000001Z',
      fulfilledAt: '2026-02-03T04:05:07.000002Z',
    });
    expect(await ok('/v1/orders')).toStrictEqual({
      orders: [
        {
          ...{ order_id: id, batch_id: 'batch_9', list_id: 'list_9', ...parcel },
          ...{ service: 'SKIP_TRACE', status: 'FULFILLED', price_cents: 15 },
          created_at: '2026-02-03T04:05:06.000001Z',
          fulfilled_at: '2026-02-03T04:05:07.000002Z',
          contacts: {
            phones: ['+17135550100', '+17135550101', '+17135550102'],
            emails: ['ada@example.com', 'bell@example.com'],
            ...{ phone_primary: '+17135550100', email_primary: 'ada@example.com' },
            ...{ callable_phones: 1, dnc_screened: true },
            traced_at: '2026-02-03T04:05:06.000007Z',
          },
          postcard: null,
        },
      ],
      ...{ total: 1, limit: 25, offset: 0 },
    });
  });

  it.each(['QUEUED', 'PAID', 'CANCELLED'])(
    '%s: neither contacts nor fulfilled_at',
    async (status) => {
      const caller = await contract.newCaller();
      await newOrder(caller, { status, contacts: CONTACTS });
      const { orders } = await caller.ok<Orders>('/v1/orders');
      const nothing = { fulfilled_at: null, contacts: null, postcard: null };
      expect(orders).toMatchObject([{ status, list_id: '', ...nothing }]);
    },
  );

  it.each(POSTCARD_STATES)('a postcard that is %s', async (state) => {
    const caller = await contract.newCaller();
    const isMailed = state === 'mailed' || state === 'delivered_est';
    const mailed_at = isMailed ? '2026-02-03T04:05:06.000001Z' : null;
    const service = { service: 'POSTCARD', status: 'PAID', postcardState: state };
    await newOrder(caller, { ...service, mailedAt: mailed_at, vendorStatus: 'printing' });
    const { orders } = await caller.ok<Orders>('/v1/orders');
    expect(orders[0]).toMatchObject({ service: 'POSTCARD', contacts: null });
    expect(orders[0]?.['postcard']).toStrictEqual({ state, vendor_status: 'printing', mailed_at });
  });
});

describe('service and status (spec §4.5)', () => {
  let caller: Caller;

  beforeAll(async () => {
    caller = await contract.newCaller();
    for (const status of ORDER_STATUSES) {
      const fulfilledAt = status === 'FULFILLED' ? '2026-02-03T04:05:06Z' : null;
      await newOrder(caller, { status, fulfilledAt });
      const service = { service: 'POSTCARD', postcardState: 'draft' };
      await newOrder(caller, { ...service, status, fulfilledAt });
      await newOrder(caller, { ...service, status, fulfilledAt });
    }
  });

  it.each([
    ['', 12],
    ['service=SKIP_TRACE', 4],
    ['service=POSTCARD', 8],
    ...ORDER_STATUSES.map((status) => [`status=${status}`, 3] as const),
    ['service=POSTCARD&status=QUEUED', 2],
    ['service=SKIP_TRACE&status=CANCELLED', 1],
    ['service=SKIP_TRACE&since=2030-01-01T00:00:00Z', 0],
  ] as const)('?%s: %i', async (query, total) => {
    const page = await caller.ok<Orders>(`/v1/orders?${query}`);
    expect(page.total).toBe(total);
    expect(page.orders).toHaveLength(total);
    const wanted = new URLSearchParams(query);
    wanted.delete('since');
    for (const order of page.orders) expect(order).toMatchObject(Object.fromEntries(wanted));
  });

  it.each([
    ['service=skip_trace', 'service: must be one of SKIP_TRACE, POSTCARD, not "skip_trace".'],
    ['status=DONE', 'status: must be one of QUEUED, PAID, FULFILLED, CANCELLED, not "DONE".'],
    [
      'since=today',
      'since: must be a time such as 2026-01-31T16:00:00Z, or a day such as 2026-01-31, not "today".',
    ],
    ['limit=101', 'limit: must be from 1 to 100, not "101".'],
    ['limit=0', 'limit: must be from 1 to 100, not "0".'],
    ['offset=-1', 'offset: must be a whole number from 0 to 999999999, not "-1".'],
    [
      'updated_since=2026-01-01T00:00:00Z',
      'There is no parameter "updated_since" here; there are service, status, since, limit, offset.',
    ],
  ])('400 for ?%s', async (query, message) => {
    const error = errorOf(await caller.get(`/v1/orders?${query}`));
    expect(error).toEqual({ status: 400, error: 'bad_request', message });
  });
});

it('newest first, and since, to the microsecond (spec §4.5)', async () => {
  const caller = await contract.newCaller();
  const at = (microsecond: number) => `2026-02-03T04:05:06.00000${microsecond}Z`;
  const one = await newOrder(caller, { createdAt: at(1) });
  const three = await newOrder(caller, { createdAt: at(3) });
  const two = await newOrder(caller, { createdAt: at(2) });
  expect(ids(await caller.ok<Orders>('/v1/orders'))).toEqual([three, two, one]);
  for (const [since, expected] of [
    [at(1), [three, two, one]],
    [at(2), [three, two]],
    [at(3), [three]],
    [at(4), []],
    ['2026-02-02T22:05:06.000002-06:00', [three, two]],
  ] as const) {
    const page = await caller.ok<Orders>(`/v1/orders?since=${since}`);
    expect(ids(page)).toEqual(expected);
    expect(page.total).toBe(expected.length);
  }
});

it('limit and offset, 1 to 100, 25 by default (spec §8)', async () => {
  const caller = await contract.newCaller();
  for (let i = 0; i < 27; i += 1) await newOrder(caller);
  expect((await caller.ok<Orders>('/v1/orders')).orders).toHaveLength(25);
  const all = await caller.ok<Orders>('/v1/orders?limit=100');
  const rest = await caller.ok<Orders>('/v1/orders?limit=1&offset=26');
  expect(rest).toMatchObject({ total: 27, limit: 1, offset: 26 });
  expect(ids(rest)).toEqual(ids(all).slice(26));
});
