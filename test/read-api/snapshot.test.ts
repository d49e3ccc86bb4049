import { afterAll, beforeAll, expect, it } from 'vitest';
import { createList } from '../../src/lists/create-list.ts';
import { startContract, type Caller, type Contract } from './contract.ts';
import { insertParcels, numbered } from './data.ts';

/* An answer is of one moment, though scores change while it is put together (spec §4.3). */
const COUNT = 60;
const READS = 60;

let contract: Contract;
let caller: Caller;
let listId: string;

beforeAll(async () => {
  contract = await startContract();
  caller = await contract.newCaller();
  const { db } = contract.records;
  const parcels = numbered('elm', COUNT, () => ({ score: 90 }));
  const parcelIds = await insertParcels(db, parcels);
  listId = (await createList(db, { accountId: caller.accountId, name: 'L', parcelIds })).id;
});
afterAll(() => contract.close());

it('all leads turn cold and hot again, together: a page has all of them or none', async () => {
  const { sql } = contract.records.database;
  const reading = { done: false };
  const rescoring = (async () => {
    let rounds = 0;
    for (; !reading.done; rounds += 1) {
      await sql`update parcels set score = 100 - score where county = 'elm'`;
    }
    return rounds;
  })();
  try {
    for (let i = 0; i < READS; i += 1) {
      const { leads, total } = await caller.ok<{ leads: { score: number }[]; total: number }>(
        `/v1/leads?list_id=${listId}&limit=100`,
      );
      expect([0, COUNT]).toContain(total);
      expect(leads.map(({ score }) => score)).toEqual(Array.from({ length: total }, () => 90));
    }
  } finally {
    reading.done = true;
  }
  expect(await rescoring).toBeGreaterThan(1);
});
