import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../drizzle/schema.ts';
import { authenticate } from '../../src/api-keys/authenticate.ts';
import type { Authentication } from '../../src/api-keys/authentication.ts';
import { generateKey, hashKey } from '../../src/api-keys/key-text.ts';
import { revokeKey } from '../../src/api-keys/revoke-key.ts';
import { openDatabase, type Database } from '../../src/db/client.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { eventually } from '../support/customer.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { newKey, recentOf, setRecent } from './recent.ts';

let records: TestRecords;
/** As another process has it. */
let elsewhere: Database;

beforeAll(async () => {
  records = await createTestRecords();
  elsewhere = openDatabase(records.url, { max: 4, name: 'elsewhere' });
});
afterAll(async () => {
  await elsewhere.close();
  await records.close();
});

const code = (result: Authentication) =>
  'refusal' in result ? result.refusal.code : `let through`;

const setPlan = (accountId: string, plan: Plan) =>
  records.db.update(accounts).set({ plan }).where(eq(accounts.id, accountId));

/** What the row of a key is, to the byte: any write makes another version of it. */
async function versionOf(keyId: string) {
  const [row] = await records.database.sql`
    select ctid::text, xmin::text, xmax::text, last_used_at from api_keys where id = ${keyId}`;
  return row;
}

describe('a request with a key', () => {
  it('is let through with its account and plan, and noted', async () => {
    const { accountId, keyId, key } = await newKey(records);
    expect(await authenticate(records.db, key)).toEqual({
      caller: { accountId, keyId, plan: 'elite' },
      quota: { limit: 120, remaining: 119, resetS: 60 },
    });
    expect(await authenticate(elsewhere.db, key)).toMatchObject({ quota: { remaining: 118 } });
    const [row] = await records.database.sql`
      select last_used_at = recent[2] as noted, cardinality(recent) as count,
        last_used_at between clock_timestamp() - interval '5 s' and clock_timestamp() as just_now
      from api_keys where id = ${keyId}`;
    expect(row).toEqual({ noted: true, count: 2, just_now: true });
  });

  it('that is malformed, unknown or revoked is refused in the same words', async () => {
    const { accountId, keyId, key } = await newKey(records);
    await revokeKey(records.context, { accountId, keyId });
    const before = await versionOf(keyId);
    const refusals = [];
    for (const text of ['', 'x', key.slice(0, -1), generateKey(), key, hashKey(key).toString()]) {
      refusals.push(await authenticate(records.db, text));
    }
    expect(refusals[0]).toMatchObject({ refusal: { code: 'unauthorized' }, quota: undefined });
    const shown = refusals.map((one) => 'refusal' in one && [one.refusal.message, { ...one }]);
    expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await versionOf(keyId)).toEqual(before);
  });

  it('is refused at once when its account falls to Free, and let through after it rises', async () => {
    const { accountId, keyId, key } = await newKey(records);
    await authenticate(records.db, key);
    await setPlan(accountId, 'free');
    const before = await versionOf(keyId);
    expect(await authenticate(elsewhere.db, key)).toMatchObject({
      ...{ refusal: { code: 'pro_required' }, quota: { remaining: 119, resetS: 60 } },
    });
    expect(await versionOf(keyId)).toEqual(before);
    await setPlan(accountId, 'pro');
    expect(await authenticate(elsewhere.db, key)).toMatchObject({
      ...{ caller: { plan: 'pro' }, quota: { remaining: 118 } },
    });
  });

  it('over the limit is not noted, and writes nothing', async () => {
    const { keyId, key } = await newKey(records);
    await setRecent(records.database, keyId, Array<number>(120).fill(30_000));
    const before = await versionOf(keyId);
    for (let i = 0; i < 5; i += 1) {
      expect(await authenticate(records.db, key)).toMatchObject({
        ...{ refusal: { code: 'rate_limited', retryAfterS: 30 } },
        quota: { limit: 120, remaining: 0, resetS: 30 },
      });
    }
    expect(await versionOf(keyId)).toEqual(before);
  });

  it('counts for its own key only', async () => {
    const [one, two] = [await newKey(records), await newKey(records)];
    await setRecent(records.database, one.keyId, Array<number>(120).fill(1_000));
    expect(code(await authenticate(records.db, one.key))).toBe('rate_limited');
    expect(code(await authenticate(records.db, two.key))).toBe('let through');
  });
});

describe('a revocation', () => {
  it('holds from the next request on, on every connection of every process', async () => {
    for (let round = 0; round < 40; round += 1) {
      const { accountId, keyId, key } = await newKey(records);
      let revoked = false;
      const late: string[] = [];
      const polls = Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 20; i += 1) {
          const after = revoked;
          const outcome = code(await authenticate(elsewhere.db, key));
          if (after) late.push(outcome);
        }
      });
      await revokeKey(records.context, { accountId, keyId });
      revoked = true;
      expect(code(await authenticate(elsewhere.db, key))).toBe('unauthorized');
      await Promise.all(polls);
      expect(late.filter((outcome) => outcome !== 'unauthorized')).toEqual([]);
    }
  });
});

describe('a request that had to wait for its turn', () => {
  /** What comes of a request while another transaction holds the row, does this, and ends. */
  async function whileHeld(
    { keyId, key }: { keyId: string; key: string },
    held: string,
    end: 'commit' | 'rollback' = 'commit',
  ) {
    let request: Promise<Authentication> | undefined;
    await elsewhere.sql
      .begin(async (tx) => {
        await tx.unsafe(`update api_keys set ${held} where id = '${keyId}'`);
        request = authenticate(records.db, key);
        await eventually(async () => {
          const [waiting] = await elsewhere.sql`
            select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%noted%'`;
          return waiting;
        });
        if (end === 'rollback') throw new Error('rolled back');
      })
      .catch((error: Error) => {
        if (error.message !== 'rolled back') throw error;
      });
    return await request!;
  }

  const moments = (count: number, age: string) =>
    `recent = array_fill(clock_timestamp() - interval '${age}', array[${count}])`;

  it('sees what was noted meanwhile, and is noted after it', async () => {
    const subject = await newKey(records);
    const result = await whileHeld(subject, moments(118, '10 s'));
    expect(result).toMatchObject({ quota: { remaining: 1, resetS: 50 } });
    const recent = await recentOf(records.database, subject.keyId);
    expect(recent).toHaveLength(119);
    expect(recent).toEqual(recent.toSorted((a, b) => a - b));
  });

  it('is refused when the limit was reached meanwhile, with the true time to wait', async () => {
    const subject = await newKey(records);
    const result = await whileHeld(subject, moments(120, '10 s'));
    expect(result).toMatchObject({ refusal: { code: 'rate_limited', retryAfterS: 50 } });
    expect(await recentOf(records.database, subject.keyId)).toHaveLength(120);
  });

  it('is refused when the key was revoked meanwhile', async () => {
    const subject = await newKey(records);
    const result = await whileHeld(subject, 'revoked_at = now()');
    expect(code(result)).toBe('unauthorized');
    expect(await recentOf(records.database, subject.keyId)).toEqual([]);
  });

  it('is let through when what it waited for was undone', async () => {
    const subject = await newKey(records);
    const result = await whileHeld(subject, moments(120, '10 s'), 'rollback');
    expect(result).toMatchObject({ quota: { remaining: 119 } });
  });
});

describe('what is kept', () => {
  it('is what still counts, and never more than 120 moments', async () => {
    const { keyId, key } = await newKey(records);
    const ages = [...Array<number>(300).fill(61_000), ...Array<number>(119).fill(59_000)];
    await setRecent(records.database, keyId, ages);
    expect(await authenticate(records.db, key)).toMatchObject({ quota: { remaining: 0 } });
    expect(await recentOf(records.database, keyId)).toHaveLength(120);
  });

  it('stays in order when the clock is set back', async () => {
    const { keyId, key } = await newKey(records);
    await setRecent(records.database, keyId, [-5_000, 1_000]);
    expect(await authenticate(records.db, key)).toMatchObject({ quota: { remaining: 117 } });
    const [, last, added] = await recentOf(records.database, keyId);
    expect(added).toBe(last);
  });
});
