import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.ts';
import { errorMessage } from '../../src/errors.ts';
import { continueRescore } from '../../src/rescore/continue-rescore.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { readRescore } from '../../src/rescore/rescore-run.ts';
import { appUrls } from '../../src/urls.ts';
import { PUBLIC_URL } from '../support/config.ts';
import { seededRandom } from '../support/random.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { TcpProxy, type Break } from '../support/tcp-proxy.ts';
import { expectedOf } from './model.ts';
import { contradictions } from './verdict.ts';
import { clearWorld, createWorld, importAgain } from './world.ts';

/*
 * Random worlds are rescored by several workers at once, as after a worker that was taken for dead and
 * is not, whose connections to PostgreSQL break at random. Afterwards all that was written is compared
 * with a plain model of what should have been. SEED repeats a run's choices; what the machine does
 * between them is its own.
 */

const WORLDS = 5;
/** Of a world; after these its connections hold. */
const MOST_CUTS = 30;
const style = { serviceName: 'Lead Events', urls: appUrls(PUBLIC_URL) };

let records: TestRecords;
let proxy: TcpProxy;
beforeAll(async () => {
  records = await createTestRecords();
  proxy = await TcpProxy.start(records.url);
});
afterAll(async () => {
  await proxy.close();
  await records.close();
});

test('with connections cut at random and three at it at once, each change is one event or counted', async () => {
  const random = seededRandom();
  for (let world = 0; world < WORLDS; world += 1) {
    await clearWorld(records);
    const { parcelIds } = await createWorld(records, random, { parcels: 240, accounts: 5 });
    await importAgain(
      records.db,
      random,
      parcelIds.filter(() => random.next() < 0.2),
    );
    const limits = {
      cap: random.pick([0, 15, 40, 10_000, 10_000]),
      backlog: random.pick([20, 100, 10_000, 10_000]),
      batch: 1 + random.integer(12),
    };
    const expected = await expectedOf(records.db, new Date().toISOString().slice(0, 10));
    const { id: runId } = await startRescore(records.db);
    const cuts = await rescoreWithCuts(runId, limits);
    const { heldBack, events, summaries } = await readRescore(records.db, runId);
    console.log(
      `  cap ${limits.cap}, backlog ${limits.backlog}, batch ${limits.batch}: ${events} events, ${heldBack} held back, ${summaries} summaries, ${cuts} cuts`,
    );
    const about = `${random.description}, world ${world}`;
    expect(await contradictions(records.db, expected, { runId, ...limits }), about).toEqual([]);
  }

  /** Answers how many connections were cut. */
  async function rescoreWithCuts(
    runId: string,
    limits: { cap: number; backlog: number; batch: number },
  ): Promise<number> {
    let cuts = 0;
    let finished = false;
    proxy.onLink = (link) => {
      if (cuts === MOST_CUTS) return;
      const direction = random.pick(['to-server', 'to-client'] as const);
      const how = random.pick<Break>(['cut', 'reset', 'half-close']);
      // Somewhere in its first batches; too soon for any, at times.
      link.breakAfter(direction, 2_000 + random.integer(40_000), how);
      cuts += 1;
    };
    const database = openDatabase(proxy.url(records.url), { max: 3, name: 'cut' });
    const work = async (): Promise<void> => {
      while (!finished) {
        try {
          const { state } = await continueRescore({ db: database.db, style, limits }, runId, {
            turnMs: 200,
          });
          finished ||= state === 'finished';
        } catch (error) {
          // What Temporal would do; anything else than a lost connection is a fault of ours.
          expect(errorMessage(error)).toMatch(
            /connection|CONNECT|ECONN|socket|closed|reached|Others hold|write after end|EPIPE/i,
          );
          await delay(5);
        }
      }
    };
    await Promise.all([work(), work(), work()]);
    await database.close();
    return cuts;
  }
}, 240_000);

test('imports while it runs: every change of a held lead is told once, by this run or the next', async () => {
  const random = seededRandom();
  await clearWorld(records);
  const { parcelIds } = await createWorld(records, random, { parcels: 300, accounts: 3 });
  const limits = { cap: 100_000, backlog: 100_000, batch: 10 };
  const before = new Map(
    (
      await records.db.execute<{ id: string; score: number }>(
        sql`select id, announced_score as score from parcels`,
      )
    ).map(({ id, score }) => [id, score]),
  );
  let importing = true;
  const imports = (async () => {
    while (importing) {
      // All in one transaction, in any order of ids, as a file has them.
      const some = parcelIds.filter(() => random.next() < 0.1);
      await importAgain(records.db, random, some);
      await delay(random.integer(10));
    }
  })();
  for (let i = 0; i < 3; i += 1) {
    const { id } = await startRescore(records.db);
    for (;;) {
      const { state } = await continueRescore({ db: records.db, style, limits }, id);
      if (state === 'finished') break;
    }
  }
  importing = false;
  await imports;
  const { id } = await startRescore(records.db);
  await continueRescore({ db: records.db, style, limits }, id, { turnMs: 60_000 });

  const chains = await records.db.execute<{ parcel: string; previous: number; score: number }>(sql`
    select h.parcel_id as parcel, h.account_id,
           (convert_from(e.body, 'UTF8')::json -> 'data' ->> 'previous_score')::int as previous,
           (convert_from(e.body, 'UTF8')::json -> 'data' ->> 'score')::int as score
    from (select distinct account_id, parcel_id from held_leads) h
      join events e on e.account_id = h.account_id and e.subject = 'lead:' || h.parcel_id
    where e.type = 'lead.score_updated'
    order by h.account_id, h.parcel_id, e.created_at`);
  const known = new Map<string, number>();
  for (const { parcel, previous, score, ...rest } of chains) {
    const key = `${JSON.stringify(rest)} ${parcel}`;
    expect(previous, key).toBe(known.get(key) ?? before.get(parcel));
    known.set(key, score);
  }
  expect(known.size).toBeGreaterThan(100);
  const held = await records.db.execute<{ parcel: string; account_id: string; score: number }>(sql`
    select distinct h.parcel_id as parcel, h.account_id, p.announced_score as score
    from held_leads h join parcels p on p.id = h.parcel_id where p.score = p.announced_score`);
  expect(held.length).toBeGreaterThan(0);
  for (const { parcel, account_id, score } of held) {
    const key = `${JSON.stringify({ account_id })} ${parcel}`;
    expect(known.get(key) ?? before.get(parcel), key).toBe(score);
  }
});
