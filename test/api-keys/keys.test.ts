import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts, apiKeys, auditLog } from '../../drizzle/schema.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { authenticate } from '../../src/api-keys/authenticate.ts';
import { createKey, MAX_LIVE_KEYS } from '../../src/api-keys/create-key.ts';
import { hashKey } from '../../src/api-keys/key-text.ts';
import { listKeys } from '../../src/api-keys/list-keys.ts';
import { revokeKey } from '../../src/api-keys/revoke-key.ts';
import { listAudit } from '../../src/audit/audit-log.ts';
import { parseCommandLine, type Command } from '../../src/commands/command.ts';
import { keyCreate, keyList, keyRevoke } from '../../src/commands/key.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
let context: { db: TestRecords['db']; actor: string };

beforeAll(async () => {
  records = await createTestRecords();
  context = { db: records.db, actor: 'cli:ada' };
});
afterAll(() => records.close());

const newAccountId = async () => (await records.newAccount()).id;
const rowsOf = (accountId: string) =>
  records.db.select().from(apiKeys).where(eq(apiKeys.accountId, accountId));

describe('creating', () => {
  it('answers the key once; of it a hash and the last four characters are kept', async () => {
    const accountId = await newAccountId();
    const { key, ...shown } = await createKey(context, { accountId, name: '  CRM sync ' });
    expect(shown).toEqual({
      ...{ id: expect.stringMatching(/^key_[0-9a-f]{32}$/) as unknown, name: 'CRM sync' },
      ...{ hint: key.slice(-4), createdAt: expect.stringMatching(/Z$/) as unknown },
      ...{ lastUsedAt: null, revokedAt: null },
    });
    expect(await listKeys(context, accountId)).toEqual([shown]);
    const [row] = await rowsOf(accountId);
    expect(row?.hash).toEqual(hashKey(key));
    const everything = JSON.stringify([
      await records.db.select().from(apiKeys),
      await records.db.select().from(auditLog),
    ]);
    expect(everything).not.toContain(key.slice(9, -4));
  });

  it('is refused to the Free plan, and open to Pro and Elite', async () => {
    for (const plan of ['free', 'pro', 'elite']) {
      const { id: accountId } = await createAccount(records.db, { email: 'a@example.com', plan });
      const creating = createKey(context, { accountId, name: 'CRM' });
      if (plan !== 'free') await expect(creating).resolves.toMatchObject({ name: 'CRM' });
      else await expect(creating).rejects.toMatchObject({ code: 'pro_required' });
      expect(await rowsOf(accountId)).toHaveLength(plan === 'free' ? 0 : 1);
    }
  });

  it('needs an account, and a name of 1 to 100 characters in one line', async () => {
    const accountId = await newAccountId();
    for (const name of ['', '   ', 'x'.repeat(101), 'a\0b', 'a\nb', 'a\ud800b']) {
      await expect(createKey(context, { accountId, name })).rejects.toMatchObject({
        ...{ code: 'bad_request', field: 'name' },
      });
    }
    await createKey(context, { accountId, name: 'x'.repeat(100) });
    await expect(createKey(context, { accountId: 'acct_0', name: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('ends at 20 live keys, also when 30 are asked for at once', async () => {
    const accountId = await newAccountId();
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => createKey(context, { accountId, name: `key ${i}` })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_LIVE_KEYS);
    for (const one of all) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    }
    const [{ id: keyId } = { id: '' }] = await listKeys(context, accountId);
    await revokeKey(context, { accountId, keyId });
    await createKey(context, { accountId, name: 'in its place' });
    await expect(createKey(context, { accountId, name: 'more' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await rowsOf(accountId)).toHaveLength(MAX_LIVE_KEYS + 1);
  });

  it('does not wait for an open transaction that writes to the account', async () => {
    const accountId = await newAccountId();
    await records.db.transaction(async (tx) => {
      // What inserting any row of the account's holds until its transaction ends.
      await tx.select().from(accounts).where(eq(accounts.id, accountId)).for('key share');
      await createKey(context, { accountId, name: 'CRM' });
    });
  });
});

describe('revoking', () => {
  it('is for good, and twice is a conflict; five at once are one', async () => {
    const accountId = await newAccountId();
    const { key, ...made } = await createKey(context, { accountId, name: 'CRM' });
    const which = { accountId, keyId: made.id };
    const all = await Promise.allSettled(
      Array.from({ length: 5 }, () => revokeKey(context, which)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(revokeKey(context, which)).rejects.toMatchObject({ code: 'conflict' });
    expect(await listKeys(context, accountId)).toEqual([
      { ...made, revokedAt: expect.stringMatching(/Z$/) as unknown },
    ]);
    expect(await authenticate(records.db, key)).toMatchObject({
      refusal: { code: 'unauthorized' },
    });
    const actions = (await listAudit(records.db, { accountId })).map(({ action }) => action);
    expect(actions).toEqual(['key.revoked', 'key.created']);
  });

  it("of another account's key, or one that never was, is not_found", async () => {
    const [accountId, stranger] = [await newAccountId(), await newAccountId()];
    const { id: keyId, key } = await createKey(context, { accountId, name: 'CRM' });
    const refusals = [
      { accountId: stranger, keyId },
      { accountId, keyId: `key_${'0'.repeat(32)}` },
      { accountId, keyId: '' },
    ].map((which) => revokeKey(context, which).catch((error: Error) => error));
    const messages = (await Promise.all(refusals)).map((error) => ({ ...error }));
    expect(messages[0]).toMatchObject({ code: 'not_found' });
    expect(new Set(messages.map((error) => JSON.stringify(error))).size).toBe(1);
    expect(await authenticate(records.db, key)).toMatchObject({ caller: { keyId } });
    expect(await listAudit(records.db, { accountId: stranger })).toEqual([]);
  });

  it('is open to an account that has fallen to the Free plan', async () => {
    const accountId = await newAccountId();
    const { id: keyId } = await createKey(context, { accountId, name: 'CRM' });
    await records.db.update(accounts).set({ plan: 'free' }).where(eq(accounts.id, accountId));
    await revokeKey(context, { accountId, keyId });
  });
});

describe('the audit log', () => {
  it('says who made and revoked which key', async () => {
    const accountId = await newAccountId();
    const { id, hint } = await createKey(context, { accountId, name: 'CRM' });
    await revokeKey({ ...context, actor: 'cli:bob' }, { accountId, keyId: id });
    const about = { accountId, subjectId: id, details: { name: 'CRM', hint } };
    expect(await listAudit(records.db, { accountId, subjectId: id })).toMatchObject([
      { actor: 'cli:bob', action: 'key.revoked', ...about },
      { actor: 'cli:ada', action: 'key.created', ...about },
    ]);
  });

  it('is written with the deed, or neither is', async () => {
    const accountId = await newAccountId();
    const { id: keyId } = await createKey(context, { accountId, name: 'CRM' });
    const before = await rowsOf(accountId);
    const { sql } = records.database;
    await sql`alter table audit_log add constraint refused check (actor <> 'refused')`;
    try {
      const by = { ...context, actor: 'refused' };
      await expect(createKey(by, { accountId, name: 'CRM' })).rejects.toThrow();
      await expect(revokeKey(by, { accountId, keyId })).rejects.toThrow();
    } finally {
      await sql`alter table audit_log drop constraint refused`;
    }
    expect(await rowsOf(accountId)).toEqual(before);
  });
});

describe('the list', () => {
  it("is the account's own: live keys first, then revoked ones, each newest first", async () => {
    const [accountId, other] = [await newAccountId(), await newAccountId()];
    await createKey(context, { accountId: other, name: 'not mine' });
    for (const name of ['a', 'b', 'c', 'd']) await createKey(context, { accountId, name });
    for (const { id: keyId, name } of await listKeys(context, accountId)) {
      if (name === 'b' || name === 'd') await revokeKey(context, { accountId, keyId });
    }
    const names = (await listKeys(context, accountId)).map(({ name }) => name);
    expect(names).toEqual(['c', 'a', 'd', 'b']);
  });
});

describe('the commands', () => {
  it('make, list and revoke a key', async () => {
    const env = { DATABASE_URL: records.url, SECRET_KEY: TEST_KEY.toString('hex') };
    const account = ['--account', await newAccountId()];
    const run = async (command: Command, ...argv: string[]) => {
      const parsed = parseCommandLine(command, [...argv, ...account]);
      const answer = await command.run({
        ...{ ...parsed, config: testConfig(env), progress: () => undefined },
      });
      return answer!;
    };
    const made = await run(keyCreate, '--name', 'CRM');
    const { id, key } = made.json as { id: string; key: string };
    expect(made.text).toContain(key);
    expect(await authenticate(records.db, key)).toMatchObject({ caller: { keyId: id } });
    const listed = await run(keyList);
    expect(listed.text).toMatch(/^id +name +key +created +last used +revoked\n/);
    expect(listed.text).toContain(`…${key.slice(-4)}`);
    expect(JSON.stringify(listed)).not.toContain(key);
    expect(await run(keyRevoke, id)).toMatchObject({
      json: { id, revokedAt: expect.any(String) as unknown },
    });
    await expect(run(keyRevoke, id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(run(keyCreate)).rejects.toThrow('--name is missing');
  });
});
