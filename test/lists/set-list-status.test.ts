import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLists } from '../../src/leads/read-sources.ts';
import { createList } from '../../src/lists/create-list.ts';
import { setListStatus } from '../../src/lists/set-list-status.ts';
import { findWatchers } from '../../src/rescore/watchers.ts';
import { createTestRecords, TEST_PARCEL, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

async function newList() {
  const { id: accountId } = await records.newAccount();
  const list = await createList(records.db, {
    ...{ accountId, name: 'Call', parcelIds: [TEST_PARCEL] },
  });
  return { accountId, list, which: { accountId, listId: list.id } };
}

test('an archived list keeps its leads and can be restored; it says when it changed', async () => {
  const { accountId, list, which } = await newList();
  const archived = await setListStatus(records.db, { ...which, status: 'archived' });
  expect(archived).toEqual({ ...list, status: 'archived', updatedAt: archived.updatedAt });
  expect(archived.updatedAt > list.updatedAt).toBe(true);
  expect(await readLists(records.db, accountId)).toMatchObject([{ status: 'archived', leads: 1 }]);
  const restored = await setListStatus(records.db, { ...which, status: 'active' });
  expect(restored).toMatchObject({ status: 'active' });
  expect(restored.updatedAt > archived.updatedAt).toBe(true);
});

test('while it is archived nobody hears through it of a lead that became hot (spec §6.1)', async () => {
  const { accountId, list, which } = await newList();
  const hot = {
    ...{ id: TEST_PARCEL, parcelId: TEST_PARCEL, county: 'maple', enteredHot: true },
  } as unknown as Parameters<typeof findWatchers>[1][number];
  const sources = () =>
    records.db.transaction(async (tx) => {
      const { byParcel } = await findWatchers(tx, [hot]);
      return byParcel.get(TEST_PARCEL)?.get(accountId)?.sources ?? [];
    });
  const listed = [{ kind: 'list', id: list.id, name: 'Call' }];
  expect(await sources()).toEqual(listed);
  await setListStatus(records.db, { ...which, status: 'archived' });
  expect(await sources()).toEqual([]);
  await setListStatus(records.db, { ...which, status: 'active' });
  expect(await sources()).toEqual(listed);
});

test("the state that it is in already, and another account's list, are refused", async () => {
  const { list, which } = await newList();
  const again = setListStatus(records.db, { ...which, status: 'active' });
  await expect(again).rejects.toMatchObject({
    ...{ code: 'conflict', message: 'The list is active already.' },
  });
  const { id: accountId } = await records.newAccount();
  const theirs = setListStatus(records.db, { accountId, listId: list.id, status: 'archived' });
  await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
  expect(await readLists(records.db, which.accountId)).toMatchObject([{ status: 'active' }]);
});
