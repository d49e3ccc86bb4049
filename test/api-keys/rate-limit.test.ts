import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../src/api-keys/authenticate.ts';
import type { Authentication } from '../../src/api-keys/authentication.ts';
import { openDatabase } from '../../src/db/client.ts';
import { seededRandom } from '../support/random.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import type { Request } from './fixtures/caller.ts';
import { letPass, newKey, recentOf, setRecent } from './recent.ts';

/*
 * The rule (spec §5.1, §8): of the requests with one key at most 120 are let through in any 60
 * seconds, and none is refused when it would be the 120th or less. Time is made to pass by making
 * earlier requests older.
 */
const LIMIT = 120;
const WINDOW_MS = 60_000;
const CALLER = fileURLToPath(new URL('fixtures/caller.ts', import.meta.url));

let records: TestRecords;
beforeAll(async () => {
  records = await createTestRecords();
  // All that is ever let through, from the row itself, since that keeps the last minute only.
  await records.database.sql.unsafe(`
    create table let_through (key_id text, at timestamptz);
    create function note_let_through() returns trigger language plpgsql as $$
    begin
      if new.last_used_at is distinct from old.last_used_at then
        insert into let_through values (new.id, new.last_used_at);
      end if;
      return null;
    end $$;
    create trigger note_let_through after update on api_keys
      for each row execute function note_let_through();`);
});
afterAll(() => records.close());

/** How many of these moments count at a time. */
const counted = (moments: readonly number[], at: number) =>
  moments.filter((moment) => moment > at - WINDOW_MS && moment <= at).length;

const isLetThrough = (result: Authentication) => 'caller' in result;

describe('against a simple model', () => {
  it('any schedule of requests and pauses comes out alike', { timeout: 120_000 }, async () => {
    const random = seededRandom();
    const { database, db } = records;
    const { keyId, key } = await newKey(records);
    // The model: every moment ever let through, nothing thrown away.
    let moments: number[] = [];
    const outcomes = { letThrough: 0, refused: 0 };
    const free = (at: number) => LIMIT - moments.filter((moment) => moment > at - WINDOW_MS).length;
    const resetS = (at: number) => {
      const oldest = moments.find((moment) => moment > at - WINDOW_MS);
      return oldest === undefined ? 0 : Math.ceil((oldest + WINDOW_MS - at) / 1000);
    };

    for (let step = 0; step < 150; step += 1) {
      const passMs = random.pick([0, 5, 900, 7_000, 25_000, 59_000, 61_000, 200_000]);
      const shiftMs = random.integer(passMs + 1);
      await letPass(database, keyId, shiftMs);
      moments = moments.map((moment) => moment - shiftMs);

      for (let left = random.pick([1, 3, 20, 50]); left > 0; left -= 1) {
        const before = Date.now();
        const result = await authenticate(db, key);
        const after = Date.now() + 1;
        const said = { ...result.quota, step };
        const own = isLetThrough(result) ? 1 : 0;
        const [least, most] = [free(before), free(after)].map((left) => Math.max(0, left - own));
        if (isLetThrough(result)) {
          outcomes.letThrough += 1;
          expect({ free: free(after) > 0, ...said }).toMatchObject({ free: true });
          moments.push((await recentOf(database, keyId)).at(-1)!);
        } else {
          outcomes.refused += 1;
          expect({ full: free(before) <= 0, ...said }).toMatchObject({ full: true });
        }
        const { remaining = NaN, resetS: reset = NaN } = result.quota!;
        expect(remaining).toBeGreaterThanOrEqual(least!);
        expect(remaining).toBeLessThanOrEqual(most!);
        // Between the two the oldest may have left, and another be the oldest.
        const resets = [resetS(before), resetS(after)].toSorted((a, b) => a - b);
        expect(reset).toBeGreaterThanOrEqual(resets[0]!);
        expect(reset).toBeLessThanOrEqual(resets[1]!);
      }
    }
    console.log(`  ${JSON.stringify(outcomes)}`);
    expect(outcomes.letThrough).toBeGreaterThan(500);
    expect(outcomes.refused).toBeGreaterThan(200);
    for (const end of moments) expect(counted(moments, end)).toBeLessThanOrEqual(LIMIT);
  });
});

describe('at the edge', () => {
  it.each([0, 1, 60, 118, 119])('after %i requests there is room for the rest', async (used) => {
    const { keyId, key } = await newKey(records);
    await setRecent(records.database, keyId, Array<number>(used).fill(20_000));
    const results = [];
    for (let i = 0; i < LIMIT - used + 3; i += 1) results.push(await authenticate(records.db, key));
    const expected = results.map((_, i) => i < LIMIT - used);
    expect(results.map(isLetThrough)).toEqual(expected);
  });

  it('a burst across a full minute does not get twice the limit', async () => {
    const { keyId, key } = await newKey(records);
    // 120 in the last second of one clock minute: none may follow in the first of the next.
    await setRecent(records.database, keyId, Array<number>(LIMIT).fill(1_000));
    expect(isLetThrough(await authenticate(records.db, key))).toBe(false);
  });

  it('a request that is 60 s old makes room, one that is younger does not', async () => {
    const { keyId, key } = await newKey(records);
    const others = Array<number>(LIMIT - 1).fill(5_000);
    await setRecent(records.database, keyId, [59_300, ...others]);
    expect(await authenticate(records.db, key)).toMatchObject({ refusal: { retryAfterS: 1 } });
    await setRecent(records.database, keyId, [60_000, ...others]);
    expect(isLetThrough(await authenticate(records.db, key))).toBe(true);
    expect(isLetThrough(await authenticate(records.db, key))).toBe(false);
  });

  it('who waits as long as told is let through, who asks a second earlier is not', async () => {
    const { keyId, key } = await newKey(records);
    await setRecent(records.database, keyId, [58_200, ...Array<number>(LIMIT - 1).fill(5_000)]);
    const refused = await authenticate(records.db, key);
    expect(refused).toMatchObject({ refusal: { retryAfterS: 2 } });
    await pause(1_000);
    expect(await authenticate(records.db, key)).toMatchObject({ refusal: { retryAfterS: 1 } });
    await pause(1_000);
    expect(isLetThrough(await authenticate(records.db, key))).toBe(true);
  });
});

describe('many at once', () => {
  it('four pools share one limit to the last request', async () => {
    const pools = Array.from({ length: 4 }, (_, i) =>
      openDatabase(records.url, { max: 8, name: `pool ${i}` }),
    );
    const random = seededRandom();
    try {
      for (let round = 0; round < 12; round += 1) {
        const { keyId, key } = await newKey(records);
        const used = random.integer(LIMIT + 1);
        await setRecent(records.database, keyId, Array<number>(used).fill(30_000));
        const results = await Promise.all(
          pools.flatMap(({ db }) => Array.from({ length: 40 }, () => authenticate(db, key))),
        );
        expect(results.filter(isLetThrough)).toHaveLength(LIMIT - used);
        for (const result of results) {
          if (isLetThrough(result)) continue;
          // The oldest has 30 s to go when there were any before, else 60.
          const toGo = used > 0 ? 30 : 60;
          const waitS = 'refusal' in result ? (result.refusal.retryAfterS ?? NaN) : NaN;
          expect(waitS).toBeLessThanOrEqual(toGo);
          expect(waitS).toBeGreaterThan(toGo - 5);
        }
        expect(await recentOf(records.database, keyId)).toHaveLength(LIMIT);
      }
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
    }
  });

  it('four processes, while earlier requests leave the window one by one', async () => {
    const random = seededRandom();
    const { keyId, key } = await newKey(records);
    const startMs = Date.now() + 4_000;
    const endMs = startMs + 6_000;
    // Each leaves at a moment of its own, at random, while the processes ask.
    const sinceNow = startMs - Date.now();
    const ages = Array.from({ length: LIMIT }, () => WINDOW_MS - sinceNow - random.integer(6_000));
    await setRecent(records.database, keyId, ages);
    const before = await recentOf(records.database, keyId);

    const run = promisify(execFile);
    const outputs = await Promise.all(
      Array.from({ length: 4 }, () => {
        const task = { url: records.url, key, startMs, endMs, pauseMs: 10 };
        const args = ['--import', 'tsx', CALLER, JSON.stringify(task)];
        return run(process.execPath, args, { maxBuffer: 2 ** 26 });
      }),
    );
    const requests = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as Request[]);
    const rows = await records.database.sql<{ ms: number }[]>`
      select (extract(epoch from at) * 1000)::float8 as ms from let_through
      where key_id = ${keyId} order by at`;
    const noted = rows.map(({ ms }) => ms);
    const all = [...before, ...noted];
    const letThrough = requests.filter((request) => request.letThrough);
    const refused = requests.filter((request) => !request.letThrough);
    console.log(`  ${letThrough.length} let through, ${refused.length} refused`);

    // What the processes were told is what was noted; both kinds came often enough to mean much.
    expect(noted).toHaveLength(letThrough.length);
    expect(letThrough.length).toBeGreaterThan(50);
    expect(refused.length).toBeGreaterThan(200);
    for (const end of all) expect(counted(all, end)).toBeLessThanOrEqual(LIMIT);
    // Each refusal: at some moment between question and answer the window was full.
    for (const { from, to } of refused) {
      const during = all.filter((moment) => moment > from - 1 && moment <= to + 1);
      const most = Math.max(...[from - 1, ...during].map((at) => counted(all, at)));
      expect(most).toBe(LIMIT);
    }
  });
});
