import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireAccount } from '../../src/accounts/accounts.ts';
import { changePlan } from '../../src/accounts/change-plan.ts';
import { createKey } from '../../src/api-keys/create-key.ts';
import { listAudit } from '../../src/audit/audit-log.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());

test('an account is put on another plan, and the audit log says from which and by whom', async () => {
  const before = await records.newAccount();
  const { id: accountId } = before;
  const after = await changePlan(records.context, { accountId, plan: 'free' });
  expect(after).toEqual({ ...before, plan: 'free' });
  expect(await requireAccount(records.db, accountId)).toEqual(after);
  expect(await listAudit(records.db, { accountId, subjectId: accountId })).toMatchObject([
    {
      ...{ actor: 'test', action: 'account.plan_changed', subjectId: accountId },
      details: { from: 'elite', to: 'free' },
    },
  ]);
});

test('the plan holds at once: keys of the Read API are for the larger ones (spec §5.1)', async () => {
  const { id: accountId } = await records.newAccount();
  const { context } = records;
  await changePlan(context, { accountId, plan: 'free' });
  await expect(createKey(context, { accountId, name: 'k' })).rejects.toMatchObject({
    code: 'pro_required',
  });
  await changePlan(context, { accountId, plan: 'pro' });
  await expect(createKey(context, { accountId, name: 'k' })).resolves.toBeDefined();
});

test.each([
  ['a wrong plan', 'gold', { code: 'bad_request', field: 'plan' }],
  ['the same plan', 'elite', { code: 'conflict', message: 'The account is on elite already.' }],
])('%s is refused, and nothing is written', async (_what, plan, refusal) => {
  const before = await records.newAccount();
  const { id: accountId } = before;
  await expect(changePlan(records.context, { accountId, plan })).rejects.toMatchObject(refusal);
  expect(await requireAccount(records.db, accountId)).toEqual(before);
  expect(await listAudit(records.db, { accountId })).toEqual([]);
});

test('an unknown account is not found', async () => {
  const change = changePlan(records.context, { accountId: 'acct_none', plan: 'pro' });
  await expect(change).rejects.toMatchObject({ code: 'not_found' });
});

test('several changes at once: each starts from the plan that the last one left', async () => {
  const { id: accountId } = await records.newAccount();
  const wishes = ['free', 'pro', 'free', 'pro', 'elite'];
  const results = await Promise.allSettled(
    wishes.map((plan) => changePlan(records.context, { accountId, plan })),
  );
  const done = results.filter(({ status }) => status === 'fulfilled').length;
  const told = (await listAudit(records.db, { accountId })).toReversed();
  expect(told).toHaveLength(done);
  const last = told.reduce((plan, { details }) => {
    expect(details['from']).toBe(plan);
    return details['to'] as string;
  }, 'elite');
  expect(await requireAccount(records.db, accountId)).toMatchObject({ plan: last });
});

test('when the entry cannot be written, the plan stays', async () => {
  const { id: accountId } = await records.newAccount();
  const { sql } = records.database;
  await sql`alter table audit_log add constraint refused check (actor <> 'refused')`;
  try {
    const by = { ...records.context, actor: 'refused' };
    await expect(changePlan(by, { accountId, plan: 'pro' })).rejects.toThrow();
  } finally {
    await sql`alter table audit_log drop constraint refused`;
  }
  expect(await requireAccount(records.db, accountId)).toMatchObject({ plan: 'elite' });
});
