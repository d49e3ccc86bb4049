import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listLeads, lists } from '../../drizzle/schema.ts';
import { readLists } from '../../src/leads/read-sources.ts';
import { addLeads, MOST_LEADS, removeLeads } from '../../src/lists/change-leads.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => {
  records = await createTestRecords();
  await records.db.execute(sql`
    insert into parcels (id, county, account_num, address, city, zip, announced_score)
    select 'oak:' || n, 'oak', n, n || ' Elm St', 'Millbrook', '75010', 0
    from generate_series(1, 50000) as n`);
});
afterAll(() => records.close());

const oak = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `oak:${from + i}`);

async function newList(parcelIds: string[] = []) {
  const { id: accountId } = await records.newAccount();
  const list = await createList(records.db, { accountId, name: 'Call', parcelIds });
  return { accountId, listId: list.id };
}

async function leadsOf(listId: string): Promise<string[]> {
  const rows = await records.db.select().from(listLeads).where(eq(listLeads.listId, listId));
  return rows.map(({ parcelId }) => parcelId).sort();
}

test('a list begins with its leads, once each', async () => {
  const { accountId, listId } = await newList(['oak:1', 'oak:2', 'oak:1']);
  expect(await leadsOf(listId)).toEqual(['oak:1', 'oak:2']);
  expect(await readLists(records.db, accountId)).toMatchObject([
    { id: listId, name: 'Call', status: 'active', leads: 2 },
  ]);
});

test('leads are added and removed; the list says when it changed', async () => {
  const { listId, accountId } = await newList(['oak:1']);
  const which = { accountId, listId };
  const updatedAt = async () => (await readLists(records.db, accountId))[0]!.updated_at;
  const first = await updatedAt();
  expect(await addLeads(records.db, { ...which, parcelIds: ['oak:1', 'oak:2', 'oak:3'] })).toBe(2);
  const second = await updatedAt();
  expect(second > first).toBe(true);
  expect(await addLeads(records.db, { ...which, parcelIds: ['oak:1'] })).toBe(0);
  expect(await removeLeads(records.db, { ...which, parcelIds: ['oak:9'] })).toBe(0);
  expect(await updatedAt()).toBe(second);
  expect(await removeLeads(records.db, { ...which, parcelIds: ['oak:1', 'oak:9'] })).toBe(1);
  expect(await leadsOf(listId)).toEqual(['oak:2', 'oak:3']);
  expect((await updatedAt()) > second).toBe(true);
});

test('takes 50,000 leads in one call, and no more', async () => {
  const which = await newList();
  expect(await addLeads(records.db, { ...which, parcelIds: oak(1, 50_000) })).toBe(50_000);
  const parcelIds = oak(1, MOST_LEADS + 1);
  for (const change of [addLeads, removeLeads]) {
    await expect(change(records.db, { ...which, parcelIds })).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'parcels' },
    });
    await expect(change(records.db, { ...which, parcelIds: [] })).rejects.toMatchObject({
      field: 'parcels',
    });
  }
  expect(await removeLeads(records.db, { ...which, parcelIds: oak(1, 50_000) })).toBe(50_000);
});

test('names parcels that do not exist, and changes nothing', async () => {
  const which = await newList();
  const parcelIds = ['oak:1', ...Array.from({ length: 7 }, (_, i) => `none:${i}`)];
  await expect(addLeads(records.db, { ...which, parcelIds })).rejects.toMatchObject({
    message: 'parcels: there is no parcel none:0, none:1, none:2, none:3, none:4 and 2 more.',
  });
  expect(await leadsOf(which.listId)).toEqual([]);
  const { accountId } = which;
  await expect(
    createList(records.db, { accountId, name: 'Other', parcelIds }),
  ).rejects.toMatchObject({ code: 'bad_request' });
  const kept = await records.db.select().from(lists).where(eq(lists.accountId, accountId));
  expect(kept).toHaveLength(1);
});

test("another account's list is not found, and its name must be one line", async () => {
  const { listId } = await newList(['oak:1']);
  const { id: accountId } = await records.newAccount();
  const theirs = { accountId, listId, parcelIds: ['oak:2'] };
  await expect(addLeads(records.db, theirs)).rejects.toMatchObject({ code: 'not_found' });
  await expect(removeLeads(records.db, theirs)).rejects.toMatchObject({ code: 'not_found' });
  expect(await leadsOf(listId)).toEqual(['oak:1']);
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(121)]) {
    await expect(createList(records.db, { accountId, name })).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'name' },
    });
  }
});

test('changes of one list from several sides all count', async () => {
  const which = await newList();
  const added = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      addLeads(records.db, { ...which, parcelIds: oak(i * 50 + 1, i * 50 + 100).toReversed() }),
    ),
  );
  expect(added.reduce((sum, count) => sum + count, 0)).toBe(450);
  expect(await leadsOf(which.listId)).toHaveLength(450);
});
