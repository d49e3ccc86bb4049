import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../drizzle/schema.ts';
import type { Authentication } from '../../src/api-keys/authentication.ts';
import { createAuthenticator } from '../../src/api-keys/authenticator.ts';
import { generateKey } from '../../src/api-keys/key-text.ts';
import { revokeKey } from '../../src/api-keys/revoke-key.ts';
import { openDatabase } from '../../src/db/client.ts';
import { eventually } from '../support/customer.ts';
import { seededRandom } from '../support/random.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { newKey, recentOf, setRecent } from './recent.ts';

/* Requests that arrive together share a statement: each must come out as if it had come alone. */
const LIMIT = 120;

let records: TestRecords;
beforeAll(async () => {
  records = await createTestRecords();
});
afterAll(() => records.close());

const code = (result: Authentication) =>
  'refusal' in result ? result.refusal.code : 'let through';

describe('requests that arrive together', () => {
  it('come out each by its own key', async () => {
    const authenticate = createAuthenticator(records.db);
    const [good, fresh, full, revoked, fallen] = await Promise.all(
      Array.from({ length: 5 }, () => newKey(records)),
    );
    await setRecent(records.database, good!.keyId, Array<number>(118).fill(10_000));
    await setRecent(records.database, full!.keyId, Array<number>(LIMIT).fill(10_000));
    await revokeKey(records.context, revoked!);
    await records.db
      .update(accounts)
      .set({ plan: 'free' })
      .where(eq(accounts.id, fallen!.accountId));

    const asked = [good, fresh, full, good, revoked, fallen, good].map((one) => one!.key);
    const results = await Promise.all([...asked, 'nonsense', generateKey()].map(authenticate));
    expect(results.map(code)).toEqual([
      ...['let through', 'let through', 'rate_limited', 'let through', 'unauthorized'],
      ...['pro_required', 'rate_limited', 'unauthorized', 'unauthorized'],
    ]);
    // As if they had come one after another.
    const left = [0, 3, 6].map((i) => results[i]!.quota?.remaining);
    expect(left).toEqual([1, 0, 0]);
    expect(results[1]).toMatchObject({
      caller: { accountId: fresh!.accountId, keyId: fresh!.keyId, plan: 'elite' },
      quota: { remaining: 119 },
    });
    expect(results[6]).toMatchObject({ refusal: { retryAfterS: 50 } });
  });

  it('never pass the limit, from several servers with the same keys in any order', async () => {
    const random = seededRandom();
    const pools = Array.from({ length: 3 }, (_, i) =>
      openDatabase(records.url, { max: 8, name: `server ${i}` }),
    );
    try {
      const servers = pools.map(({ db }) => createAuthenticator(db));
      const keys = await Promise.all(Array.from({ length: 6 }, () => newKey(records)));
      const used = keys.map(() => random.integer(LIMIT));
      for (const [i, { keyId }] of keys.entries()) {
        await setRecent(records.database, keyId, Array<number>(used[i]!).fill(20_000));
      }
      const letThrough = new Map<string, number>();
      await Promise.all(
        Array.from({ length: 3_000 }, async () => {
          const { keyId, key } = random.pick(keys);
          const result = await random.pick(servers)(key);
          if (!('caller' in result)) return expect(code(result)).toBe('rate_limited');
          expect(result.caller.keyId).toBe(keyId);
          letThrough.set(keyId, (letThrough.get(keyId) ?? 0) + 1);
        }),
      );
      for (const [i, { keyId }] of keys.entries()) {
        expect({ keyId, let: letThrough.get(keyId) }).toEqual({ keyId, let: LIMIT - used[i]! });
        expect(await recentOf(records.database, keyId)).toHaveLength(LIMIT);
      }
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  });
});

describe('what keeps one request waiting', () => {
  it('does not hold up those with other keys', async () => {
    const authenticate = createAuthenticator(records.db);
    const [held, other] = [await newKey(records), await newKey(records)];
    let waiting: Promise<Authentication> | undefined;
    await records.database.sql.begin(async (tx) => {
      await tx`select 1 from api_keys where id = ${held.keyId} for update`;
      waiting = authenticate(held.key);
      await eventually(async () => {
        const [found] = await records.database.sql`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%noted%'`;
        return found;
      });
      expect(code(await authenticate(other.key))).toBe('let through');
      expect(await recentOf(records.database, held.keyId)).toEqual([]);
    });
    expect(code(await waiting!)).toBe('let through');
  });

  it('is told to all when the database is gone, and forgotten when it is back', async () => {
    const pool = openDatabase(records.url, { max: 1, name: 'cut off' });
    const authenticate = createAuthenticator(pool.db);
    const { key } = await newKey(records);
    expect(code(await authenticate(key))).toBe('let through');
    let cut: Promise<PromiseSettledResult<Authentication>[]> | undefined;
    await records.database.sql.begin(async (tx) => {
      await tx`select 1 from api_keys for update`;
      cut = Promise.allSettled([authenticate(key), authenticate(key)]);
      await eventually(async () => {
        const [ended] = await tx`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'cut off' and wait_event_type = 'Lock'`;
        return ended;
      });
    });
    expect((await cut!).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(code(await authenticate(key))).toBe('let through');
    await pool.close();
  });
});
