import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CommitOutcomeUnknownError,
  createGuardedClient,
  TransactionClosedError,
  TransactionLostError,
  type GuardedClientOptions,
} from '../../src/db/guarded-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { TcpProxy, type Link } from '../support/tcp-proxy.ts';
import { inspect } from './cut-report.ts';
import { CREATE_TABLES, runScenario } from './cut-scenario.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let direct: postgres.Sql;
let proxy: TcpProxy;
const clients: postgres.Sql[] = [];
const escaped: unknown[] = [];
const onEscape = (error: unknown) => escaped.push(error);

beforeAll(async () => {
  database = await createTestDatabase();
  direct = postgres(database.url, { max: 2, onnotice: () => {} });
  await direct.unsafe(CREATE_TABLES);
  process.on('unhandledRejection', onEscape);
});

beforeEach(async () => {
  proxy = await TcpProxy.start(database.url);
  await direct`truncate guard_action, guard_event`;
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end({ timeout: 0 })));
  await proxy.close();
  expect(escaped.splice(0)).toEqual([]);
});

afterAll(async () => {
  process.off('unhandledRejection', onEscape);
  await direct.end();
  await database.drop();
});

function guarded(options: GuardedClientOptions = {}): postgres.Sql {
  const client = createGuardedClient(proxy.url(database.url), { max: 1, ...options });
  clients.push(client);
  return client;
}

function unguarded(): postgres.Sql {
  const client = postgres(proxy.url(database.url), { max: 1, onnotice: () => {} });
  clients.push(client);
  return client;
}

async function insertAction(tx: postgres.TransactionSql, id: number, tenant = 'amber') {
  const [row] = await tx<{ pid: number }[]>`
    insert into guard_action (id, tenant) values (${id}, ${tenant}) returning pid`;
  return proxy.linkTo(row!.pid)!;
}

const insertEvent = (tx: postgres.TransactionSql, id: number, tenant = 'amber') =>
  tx`insert into guard_event (action_id, tenant, kind) values (${id}, ${tenant}, 'late')`;

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const actionIds = async () =>
  (await direct`select id from guard_action order by id`).map((row) => Number(row['id']));

const countEvents = async () =>
  Number((await direct`select count(*) as count from guard_event`)[0]?.['count']);

/** Server processes that still work for the guarded client. */
const backends = async () =>
  (
    await direct`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'lead-events'`
  ).length;

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/**
 * Tenant amber's connection drops; its callback pauses, goes on while tenant birch's transaction
 * is half done, and ends as told.
 */
async function goOnAfterDrop(client: postgres.Sql, ends: 'returning' | 'throwing') {
  const mayGoOn = gate();
  const isDone = gate();
  const birchIsIn = gate();
  const birchMayEnd = gate();

  const amber = errorOf(
    client.begin(async (tx) => {
      const link = await insertAction(tx, 1);
      link.break('cut');
      await mayGoOn.opened;
      const late = await errorOf(insertEvent(tx, 1));
      isDone.open();
      if (ends === 'throwing') throw new Error('late', { cause: late });
    }),
  );
  const amberError = await amber;
  const birch = errorOf(
    client.begin(async (tx) => {
      await insertAction(tx, 2, 'birch');
      birchIsIn.open();
      await birchMayEnd.opened;
      if (ends === 'returning') throw new Error('birch changed its mind');
    }),
  );
  await birchIsIn.opened;
  mayGoOn.open();
  await isDone.opened;
  await sleep(150); // for the COMMIT or ROLLBACK that postgres.js sends on its own
  birchMayEnd.open();
  const birchError = await birch;
  return { amberError, birchError, actions: await actionIds(), events: await countEvents() };
}

describe('the upstream fault this guards against (postgres.js 3.4.9)', () => {
  it("commits another transaction's half-done work, with a stray event in it", async () => {
    const seen = await goOnAfterDrop(unguarded(), 'returning');
    expect(seen.amberError).toBeInstanceOf(Error);
    expect(seen.birchError).toMatchObject({ message: 'birch changed its mind' });
    expect(seen).toMatchObject({ actions: [2], events: 1 });
  });

  it('reports a transaction as committed that it rolled back', async () => {
    const seen = await goOnAfterDrop(unguarded(), 'throwing');
    expect(seen).toMatchObject({ birchError: undefined, actions: [], events: 0 });
  });

  it('is gone with the guard: a late callback that returns', async () => {
    const seen = await goOnAfterDrop(guarded(), 'returning');
    expect(seen.amberError).toBeInstanceOf(TransactionLostError);
    expect(seen.birchError).toMatchObject({ message: 'birch changed its mind' });
    expect(seen).toMatchObject({ actions: [], events: 0 });
  });

  it('is gone with the guard: a late callback that throws', async () => {
    const seen = await goOnAfterDrop(guarded(), 'throwing');
    expect(seen.amberError).toBeInstanceOf(TransactionLostError);
    expect(seen).toMatchObject({ birchError: undefined, actions: [2], events: 0 });
  });
});

describe('a transaction whose connection drops', () => {
  it('refuses every later statement, savepoint and cursor of its callback', async () => {
    const sql = guarded();
    const refusals: unknown[] = [];
    const isDone = gate();
    const begun = errorOf(
      sql
        .begin(async (tx) => {
          const link = await insertAction(tx, 1);
          await tx.savepoint(async (inner) => {
            link.break('reset');
            await sleep(30);
            refusals.push(
              await errorOf(insertEvent(inner, 1)),
              await errorOf(inner.savepoint((third) => insertEvent(third, 1))),
              await errorOf(inner.unsafe('insert into guard_event values (1)')),
              await errorOf(tx.notify('guard', 'late')),
              await errorOf(tx`select 1`.cursor(() => {})),
              await errorOf(tx`select 1`.cursor()[Symbol.asyncIterator]().next()),
            );
          });
        })
        .finally(isDone.open),
    );
    expect(await begun).toBeInstanceOf(TransactionLostError);
    await expect.poll(() => refusals.length).toBe(6);
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(TransactionLostError);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    expect([await actionIds(), await countEvents()]).toEqual([[], 0]);
  });

  it('rejects the statements that were queued on it', async () => {
    let settled: PromiseSettledResult<unknown>[] = [];
    const begun = guarded().begin(async (tx) => {
      const link = await insertAction(tx, 1);
      link.breakAfter('to-server', 5, 'cut');
      settled = await Promise.allSettled([1, 2, 3, 4, 5].map(() => insertEvent(tx, 1)));
    });
    expect(await errorOf(begun)).toBeInstanceOf(TransactionLostError);
    expect(settled.map((each) => each.status)).toEqual(Array(5).fill('rejected'));
  });

  it('gives its connection up although its callback never settles', async () => {
    const sql = guarded();
    const begun = sql.begin(async (tx) => {
      const link = await insertAction(tx, 1);
      link.break('cut');
      await new Promise(() => {});
    });
    expect(await errorOf(begun)).toBeInstanceOf(TransactionLostError);
    await sql.begin((tx) => insertAction(tx, 2));
    expect(await actionIds()).toEqual([2]);
  });

  it.each(['callback', 'iterator'])('ends a cursor that is being read, %s', async (form) => {
    const sql = guarded();
    let ending: unknown;
    const begun = sql.begin(async (tx) => {
      const link = await insertAction(tx, 1);
      const read = async (_batch: unknown) => {
        link.break('cut');
        await sleep(30);
      };
      const readAll = async () => {
        const rows = tx`select generate_series(1, 9)`;
        if (form === 'callback') await rows.cursor(2, read as (batch: unknown) => void);
        else for await (const batch of rows.cursor(2)) await read(batch);
      };
      ending = await errorOf(readAll());
    });
    expect(await errorOf(begun)).toBeInstanceOf(TransactionLostError);
    await expect.poll(() => ending, { interval: 10 }).toBeInstanceOf(Error); // not an early end
    await sleep(50);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('notices when PostgreSQL ends it for idling', async () => {
    let late: unknown;
    const begun = guarded({ idleInTransactionTimeoutMs: 50 }).begin(async (tx) => {
      await insertAction(tx, 1);
      await sleep(200);
      late = await errorOf(insertEvent(tx, 1));
    });
    expect(await errorOf(begun)).toBeInstanceOf(TransactionLostError);
    await expect.poll(() => late).toBeInstanceOf(TransactionLostError);
  });

  it('does not wait for an answer for ever', async () => {
    const begun = guarded({ answerTimeoutMs: 100 }).begin(async (tx) => {
      const link = await insertAction(tx, 1);
      link.delay(600_000);
      await insertEvent(tx, 1);
    });
    expect(await errorOf(begun)).toBeInstanceOf(TransactionLostError);
  });
});

describe('COMMIT', () => {
  // "commit" as a message has 12 bytes: the last one decides.
  it.each([
    ['did not arrive', 11, []],
    ['arrived', 12, [1]],
  ])('has an unknown outcome when the connection drops and it %s', async (_, bytes, there) => {
    let link: Link | undefined;
    const begun = guarded().begin(async (tx) => {
      link = await insertAction(tx, 1);
      link.breakAfter('to-server', bytes, 'half-close');
    });
    expect(await errorOf(begun)).toBeInstanceOf(CommitOutcomeUnknownError);
    await expect.poll(actionIds).toEqual(there);
  });

  it('is not sent, and not unknown, when the drop came first', async () => {
    const begun = guarded().begin(async (tx) => {
      const link = await insertAction(tx, 1);
      link.break('cut');
      await sleep(30);
    });
    expect(await errorOf(begun)).toBeInstanceOf(TransactionLostError);
  });

  it('reports a refusal as what it is', async () => {
    await direct.unsafe(
      `create table guard_deferred (id int primary key deferrable initially deferred)`,
    );
    const sql = guarded();
    const begun = sql.begin(async (tx) => {
      await tx`insert into guard_deferred values (1)`;
      await tx`insert into guard_deferred values (1)`;
    });
    expect(await errorOf(begun)).toMatchObject({ code: '23505' });
    expect(await sql`select * from guard_deferred`).toEqual([]);
  });

  it('is not reported for a transaction that failed unnoticed', async () => {
    const sql = guarded();
    const notAwaited = sql.begin(async (tx) => {
      await insertAction(tx, 1);
      void tx`select 1 / 0`.execute();
    });
    expect(await errorOf(notAwaited)).toMatchObject({ code: '22012' });
    const swallowed = sql.begin(async (tx) => {
      await insertAction(tx, 2);
      const rows = tx`select 1 / 0`.cursor()[Symbol.asyncIterator]();
      await errorOf(rows.next());
    });
    expect(await errorOf(swallowed)).toMatchObject({ code: '22012' });
    expect(await actionIds()).toEqual([]);
  });
});

describe('the handle of a transaction', () => {
  it('refuses everything once begin() has settled', async () => {
    const sql = guarded();
    const handles: postgres.TransactionSql[] = [];
    await sql
      .begin(async (tx) => {
        handles.push(tx);
        await tx.savepoint((inner) => handles.push(inner));
        expect(await errorOf(insertEvent(handles[1]!, 1))).toBeInstanceOf(TransactionClosedError);
      })
      .catch(() => {});
    for (const handle of handles) {
      expect(await errorOf(insertEvent(handle, 1))).toBeInstanceOf(TransactionClosedError);
      expect(await errorOf(handle.savepoint(() => {}))).toBeInstanceOf(TransactionClosedError);
    }
    expect(await countEvents()).toBe(0);
  });

  it('refuses to end the transaction behind the back of begin()', async () => {
    const begun = guarded().begin(async (tx) => {
      await insertAction(tx, 1);
      await errorOf(tx.unsafe('commit'));
    });
    await errorOf(begun);
    expect((await actionIds()).length).toBeLessThan(2);
  });
});

describe('connecting', () => {
  it.each([0, 1, 9, 60, 330, 420])('survives a drop %d bytes into the greeting', async (bytes) => {
    const sql = guarded({ connectTimeoutMs: 2_000 });
    let attempts = 0;
    proxy.onLink = (link) => {
      attempts++;
      link.breakAfter('to-client', bytes, 'cut');
    };
    expect(await errorOf(sql.begin((tx) => tx`select 1`))).toBeInstanceOf(Error);
    expect(attempts).toBe(1); // by itself postgres.js tries on without a pause
    proxy.onLink = undefined;
    expect(await sql.begin((tx) => tx`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('gives up on a server that does not answer', async () => {
    const sql = guarded({ connectTimeoutMs: 100 });
    proxy.onLink = (link) => link.delay(600_000);
    const started = performance.now();
    expect(await errorOf(sql.begin((tx) => tx`select 1`))).toBeInstanceOf(Error);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe(`1,000 transactions over breaking connections (SEED=${SEED})`, () => {
  it.each([
    { max: 1, from: 0, count: 250 },
    { max: 2, from: 250, count: 350 },
    { max: 3, from: 600, count: 400 },
  ])(
    'keeps each of $count whole and its own, pool of $max',
    async ({ max, from, count }) => {
      const client = guarded({ max, connectTimeoutMs: 3_000, answerTimeoutMs: 3_000 });
      const entries = await runScenario({
        client,
        proxy,
        seed: SEED,
        from,
        count,
        limitMs: 10_000,
      });
      await client.end({ timeout: 1 });
      await expect.poll(backends, { timeout: 5_000 }).toBe(0);
      const { faults, counts } = await inspect(direct, entries);
      console.log(`SEED=${SEED} max=${max}`, counts);
      expect(faults).toEqual([]);
      expect(entries.length).toBe(count);
    },
    60_000,
  );
});
