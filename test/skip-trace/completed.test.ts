import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { heldLeads } from '../../drizzle/schema.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { completeSkipTrace, completeTraced } from '../../src/skip-trace/complete-skip-trace.ts';
import { showOrder } from '../../src/orders/show-order.ts';
import { startContract, type Caller, type Contract, type Json } from '../read-api/contract.ts';
import { eventsOf } from '../support/event-log.ts';
import type { TestRecords } from '../support/records.ts';
import { newParcels, paidBatch, RAW, setPlan } from './tracing.ts';

/* lead.skiptrace.completed beside what the Read API answers (spec §§2.2 to 2.4, 2.7, 2.8, 6.1, 6.2). */
let contract: Contract;
let records: TestRecords;
let caller: Caller;
let accountId: string;
let parcelId: string;
let orderId: string;
let batchId: string;

beforeAll(async () => {
  contract = await startContract();
  records = contract.records;
});
afterAll(() => contract.close());

beforeEach(async () => {
  caller = await contract.newCaller('pro');
  accountId = caller.accountId;
  [parcelId = ''] = await newParcels(records, 1);
  const batch = await paidBatch(records, accountId, [parcelId]);
  batchId = batch.batchId;
  orderId = batch.orderIds[0]!;
});

const complete = (result: unknown = RAW) =>
  completeSkipTrace(records.context, { accountId, orderId, result });
const completed = () => eventsOf(records, accountId, 'lead.skiptrace.completed');
const lead = async () =>
  (await caller.ok<{ lead: Json }>(`/v1/leads/${parcelId.replace(':', '/')}`)).lead;
const order = async () => (await caller.ok<{ orders: Json[] }>('/v1/orders')).orders[0]!;

describe('the event', () => {
  it('has every field of the catalogue, with the values that the Read API answers', async () => {
    await complete();
    const [event, ...more] = await completed();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ user_id: accountId, subject: `lead:${parcelId}` });
    const data = event!.data as unknown as Json;
    const fields = Object.keys(EVENT_CATALOGUE['lead.skiptrace.completed'].data.shape);
    expect(Object.keys(data).sort()).toEqual(fields.filter((name) => name !== 'fixture').sort());

    const { contacts: ofLead, ...leadFields } = await lead();
    expect(data).toMatchObject(leadFields);
    expect(data).toMatchObject(ofLead as Json);
    const { contacts: ofOrder, ...orderFields } = await order();
    expect(data).toMatchObject(ofOrder as Json);
    for (const name of ['order_id', 'batch_id', 'list_id', 'parcel_id', 'address', 'owner_name']) {
      expect(data[name], name).toEqual(orderFields[name]);
    }
    expect(data).toMatchObject({
      ...{ order_id: orderId, batch_id: batchId, list_id: '', list_name: '' },
      ...{ phones: ['+17135550142', '+17135550177'], emails: ['ada.quillfeather@example.com'] },
      ...{ phone_primary: '+17135550142', phone_secondary: '+17135550177' },
      ...{ callable_phones: 1, dnc_screened: true, litigator: false, traced_at: RAW.traced_at },
    });
    expect(data['phone_details']).toMatchObject([
      { number: '+17135550142', dnc: false, dnc_status: 'clear' },
      { number: '+17135550177', dnc: true, dnc_status: 'listed' },
    ]);
  });

  it('the order is FULFILLED, and the lead is held as purchased', async () => {
    await complete();
    const { status, fulfilled_at: at } = await order();
    expect(status).toBe('FULFILLED');
    expect(at).toMatch(/^\d{4}-.*Z$/);
    const held = and(eq(heldLeads.accountId, accountId), eq(heldLeads.parcelId, parcelId));
    const rows = await records.db.select({ via: heldLeads.via }).from(heldLeads).where(held);
    expect(rows).toEqual([{ via: 'purchased' }]);
  });

  it('nothing found is an event too, with empty fields', async () => {
    await complete({ ...RAW, phones: [], emails: [] });
    const [event] = await completed();
    expect(event?.data).toMatchObject({
      ...{ phones: [], phone_details: [], emails: [], callable_phones: 0 },
      ...{ phone_primary: null, phone_secondary: null, email_primary: null },
    });
    expect((await lead())['contacts']).toMatchObject({ phones: [], phone_primary: null });
  });

  it('what was refused is shown with the order by place and reason, and is in no field', async () => {
    const unusable = [{ number: 'Marrowbone 7' }, ...RAW.phones];
    await complete({ ...RAW, phones: unusable, emails: ['no such thing'] });
    const shown = await showOrder(records.context, { accountId, orderId });
    expect(shown.refused).toEqual([
      { kind: 'phone', index: 0, reason: 'not_a_number' },
      { kind: 'email', index: 0, reason: 'not_an_address' },
    ]);
    const [event] = await completed();
    expect(event?.data.phones).toEqual(['+17135550142', '+17135550177']);
    expect(JSON.stringify([shown, event])).not.toMatch(/Marrowbone 7|no such thing/);
  });

  it('leaves lead types above the plan out, in every field', async () => {
    await complete();
    const [event] = await completed();
    const { lead_types, why, crm_note } = event!.data;
    expect(lead_types).toEqual(['tax-delinquent', 'vacant', 'absentee-owner']);
    expect(`${why} ${crm_note}`).not.toMatch(/probate|foreclosure/i);
  });
});

describe('what the plan of that moment carries (spec §6.2)', () => {
  it('an account that has fallen to Free gets its event without contacts; a later Pro sees them', async () => {
    await setPlan(records, accountId, 'free');
    await complete();
    const [event] = await completed();
    expect(event?.data).toMatchObject({
      ...{ order_id: orderId, phones: [], phone_details: [], emails: [], callable_phones: 0 },
      ...{ phone_primary: null, phone_secondary: null, email_primary: null },
      ...{ dnc_screened: true, traced_at: RAW.traced_at, lead_types: ['absentee-owner'] },
    });
    expect(JSON.stringify(event)).not.toMatch(/\+1713|@example/);
    const shown = await showOrder(records.context, { accountId, orderId });
    expect(shown).toMatchObject({ status: 'FULFILLED', contacts: null });
    await setPlan(records, accountId, 'pro');
    expect((await lead())['contacts']).toMatchObject({ phones: ['+17135550142', '+17135550177'] });
  });
});

describe('twice', () => {
  it('by hand at once: one is done, the others are told, one event', async () => {
    const results = await Promise.allSettled([complete(), complete(), complete(), complete()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    expect(await completed()).toHaveLength(1);
  });

  it('by our own requests at once: nobody fails, one event, and the first answer stays', async () => {
    const answer = (email: string) => ({ ...RAW, emails: [email] });
    const trace = (email: string) =>
      completeTraced(records.context, { accountId, orderId, result: answer(email) });
    const done = await Promise.all(['a@example.com', 'b@example.com', 'c@example.com'].map(trace));
    expect(done.filter(Boolean)).toHaveLength(1);
    const [event, ...more] = await completed();
    expect(more).toEqual([]);
    expect(await trace('d@example.com')).toBe(false);
    const { contacts } = await order();
    expect(contacts).toMatchObject({ emails: event?.data.emails });
  });
});

it('an answer of the wrong shape writes nothing', async () => {
  await expect(complete({ phones: [] })).rejects.toMatchObject({ code: 'bad_request' });
  expect(await order()).toMatchObject({ status: 'PAID', contacts: null });
  expect(await completed()).toEqual([]);
});

it('a second trace of a lead has a later event, and its contacts count', async () => {
  await complete();
  const again = await paidBatch(records, accountId, [parcelId]);
  orderId = again.orderIds[0]!;
  await complete({ ...RAW, emails: ['newer@example.com'] });
  const [first, second] = await completed();
  expect(second!.created_at > first!.created_at).toBe(true);
  expect((await lead())['contacts']).toMatchObject({
    order_id: orderId,
    phones: second?.data.phones,
  });
  expect(second?.data.emails).toEqual(['newer@example.com']);
});
