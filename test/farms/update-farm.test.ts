import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFarm } from '../../src/farms/create-farm.ts';
import { updateFarm } from '../../src/farms/update-farm.ts';
import { readFarms } from '../../src/leads/read-sources.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

test('alerts are turned off and on; another account does not find the farm', async () => {
  const { db } = records;
  const { id: accountId } = await records.newAccount();
  const corners = [
    ...[
      { lng: -97, lat: 33 },
      { lng: -96, lat: 33 },
    ],
    { lng: -96, lat: 34 },
  ];
  const farm = await createFarm(db, { accountId, name: 'East', corners });
  const which = { accountId, farmId: farm.id };
  const off = await updateFarm(db, { ...which, alertsEnabled: false });
  expect(off).toEqual({ ...farm, alertsEnabled: false, updatedAt: off.updatedAt });
  expect(off.updatedAt > farm.updatedAt).toBe(true);
  expect(await readFarms(db, accountId)).toMatchObject([{ alerts_enabled: false }]);

  const { id: other } = await records.newAccount();
  const theirs = updateFarm(db, { ...which, accountId: other, alertsEnabled: true });
  await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
  expect(await readFarms(db, accountId)).toMatchObject([{ alerts_enabled: false }]);
  expect(await updateFarm(db, { ...which, alertsEnabled: true })).toMatchObject({
    alertsEnabled: true,
  });
});
