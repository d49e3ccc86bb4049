import { afterAll, beforeAll, expect, it } from 'vitest';
import { createList } from '../../src/lists/create-list.ts';
import { startContract, type Caller, type Contract, type Json } from './contract.ts';
import { insertOrder, insertParcels, insertSkipTrace, CONTACTS, numbered } from './data.ts';

/* `contacts` of a lead row: what a skip trace of this account found (spec §2.8). */
let contract: Contract;
let caller: Caller;
let other: Caller;
let parcels: string[];

beforeAll(async () => {
  contract = await startContract();
  caller = await contract.newCaller();
  other = await contract.newCaller();
  parcels = await insertParcels(
    contract.records.db,
    numbered('elm', 20, () => ({})),
  );
});
afterAll(() => contract.close());

/** A parcel that no test has used yet. */
const newParcel = () => parcels.pop()!;
const trace = (parcelId: string, fulfilledAt: string, contacts = {}, { accountId } = caller) =>
  insertSkipTrace(contract.records.db, { accountId, parcelId, fulfilledAt }, contacts);

async function contactsOf(parcelId: string, { ok } = caller): Promise<Json | null> {
  const { lead } = await ok<{ lead: { contacts: Json | null } }>(
    `/v1/leads/${parcelId.replace(':', '/')}`,
  );
  return lead.contacts;
}

it('null without a skip trace', async () => {
  expect(await contactsOf(newParcel())).toBeNull();
});

it('the fields of the table', async () => {
  const parcelId = newParcel();
  const orderId = await trace(parcelId, '2026-02-03T04:05:06Z');
  expect(await contactsOf(parcelId)).toStrictEqual({
    order_id: orderId,
    phones: ['+17135550100', '+17135550101', '+17135550102'],
    emails: ['ada@example.com', 'bell@example.com'],
    phone_primary: '+17135550100',
    phone_secondary: '+17135550101',
    email_primary: 'ada@example.com',
    callable_phones: 1,
    dnc_screened: true,
    traced_at: '2026-02-03T04:05:06.000007Z',
  });
});

it('nothing found is empty, not null', async () => {
  const parcelId = newParcel();
  await trace(parcelId, '2026-02-03T04:05:06Z', {
    ...{ phone_details: [], emails: [], dnc_screened: false },
  });
  expect(await contactsOf(parcelId)).toMatchObject({
    ...{ phones: [], emails: [], phone_primary: null, phone_secondary: null },
    ...{ email_primary: null, callable_phones: 0, dnc_screened: false },
  });
});

it('no number of a known litigator may be called (spec §2.3)', async () => {
  const parcelId = newParcel();
  await trace(parcelId, '2026-02-03T04:05:06Z', { litigator: true });
  const contacts = await contactsOf(parcelId);
  expect(contacts).toMatchObject({ callable_phones: 0 });
  expect(contacts?.['phones']).toHaveLength(3);
});

it('the newest of several, by when it was fulfilled, to the microsecond', async () => {
  const parcelId = newParcel();
  await trace(parcelId, '2026-02-03T04:05:06.000001Z', { emails: ['older@example.com'] });
  await trace(parcelId, '2026-02-03T04:05:06.000003Z', { emails: ['newest@example.com'] });
  await trace(parcelId, '2026-02-03T04:05:06.000002Z', { emails: ['old@example.com'] });
  expect(await contactsOf(parcelId)).toMatchObject({ emails: ['newest@example.com'] });
});

it('only of fulfilled skip traces', async () => {
  const { db } = contract.records;
  const parcelId = newParcel();
  const order = { accountId: caller.accountId, parcelId, contacts: CONTACTS };
  for (const status of ['QUEUED', 'PAID', 'CANCELLED'] as const) {
    await insertOrder(db, { ...order, status });
  }
  await insertOrder(db, { ...order, service: 'POSTCARD', postcardState: 'draft' });
  expect(await contactsOf(parcelId)).toBeNull();
  await trace(parcelId, '2026-02-03T04:05:06Z', { emails: ['done@example.com'] });
  expect(await contactsOf(parcelId)).toMatchObject({ emails: ['done@example.com'] });
});

it("never another account's, not even a newer one", async () => {
  const parcelId = newParcel();
  await trace(parcelId, '2026-03-03T00:00:00Z', { emails: ['theirs@example.com'] }, other);
  expect(await contactsOf(parcelId)).toBeNull();
  await trace(parcelId, '2026-02-03T00:00:00Z', { emails: ['ours@example.com'] });
  expect(await contactsOf(parcelId)).toMatchObject({ emails: ['ours@example.com'] });
  expect(await contactsOf(parcelId, other)).toMatchObject({ emails: ['theirs@example.com'] });
});

it('in a list each lead has its own', async () => {
  const [one, two, three] = [newParcel(), newParcel(), newParcel()];
  await trace(one, '2026-02-03T00:00:00Z', { emails: ['one@example.com'] });
  await trace(three, '2026-02-03T00:00:00Z', { emails: ['three@example.com'] });
  const { accountId } = caller;
  const parcelIds = [one, two, three];
  const { id } = await createList(contract.records.db, { accountId, name: 'L', parcelIds });
  const { leads } = await caller.ok<{ leads: { parcel_id: string; contacts: Json | null }[] }>(
    `/v1/leads?list_id=${id}`,
  );
  const emails = leads.map((lead) => [lead.parcel_id, lead.contacts?.['email_primary']]);
  expect(Object.fromEntries(emails)).toEqual({
    [one]: 'one@example.com',
    [two]: undefined,
    [three]: 'three@example.com',
  });
});
