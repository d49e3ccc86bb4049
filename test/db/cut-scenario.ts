import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import { CommitOutcomeUnknownError } from '../../src/db/guarded-client.ts';
import type { Break, Direction, TcpProxy } from '../support/tcp-proxy.ts';

const TENANTS = ['amber', 'birch', 'cedar', 'dune', 'elm', 'fjord'];

export const actionTable = pgTable('guard_action', {
  id: integer('id').primaryKey(),
  tenant: text('tenant').notNull(),
  pid: integer('pid'),
});

export const eventTable = pgTable('guard_event', {
  actionId: integer('action_id').notNull(),
  tenant: text('tenant').notNull(),
  kind: text('kind').notNull(),
});

/** Tables whose rows say which transaction and which server process wrote them. */
export const CREATE_TABLES = `
  create table guard_action (
    id integer primary key, tenant text not null,
    txid bigint not null default txid_current(), pid integer not null default pg_backend_pid());
  create table guard_event (
    action_id integer not null, tenant text not null, kind text not null,
    txid bigint not null default txid_current(), pid integer not null default pg_backend_pid());`;

/** What a transaction of the scenario does to the database, in either API. */
interface Steps {
  action(): Promise<number>;
  event(kind: string): Promise<unknown>;
  savepoint(work: (inner: Steps) => Promise<void>): Promise<void>;
}

/** Everything about one transaction that the seed decides. */
export interface Plan {
  id: number;
  tenant: string;
  api: 'drizzle' | 'plain';
  cut: 'none' | 'before' | 'between' | 'statement' | 'savepoint' | 'commit' | 'after';
  how: Break;
  direction: Direction;
  bytes: number;
  delayMs: number;
  savepoint: 'none' | 'kept' | 'undone';
  ending: 'return' | 'throw';
  slowMs: number;
  /** What the callback does when a statement fails: pass it on, write on regardless, or hang. */
  afterFailure: 'throw' | 'write on' | 'hang';
}

export type Outcome = 'committed' | 'unknown' | 'rejected' | 'hung';
export interface Entry {
  plan: Plan;
  outcome: Outcome;
  error?: Error;
}

/** What a callback throws on purpose, to have its transaction rolled back. */
export class PlannedError extends Error {}

/** Small seeded generator (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function planOf(id: number, seed: number): Plan {
  const next = random(seed + id * 7919);
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(next() * choices.length)]!;
  const cut = pick<Plan['cut']>(
    ...(['none', 'none', 'none', 'none', 'none', 'none'] as const),
    ...(['before', 'between', 'statement', 'savepoint', 'commit', 'commit', 'after'] as const),
  );
  return {
    id,
    cut,
    tenant: TENANTS[id % TENANTS.length]!,
    api: pick('drizzle', 'plain'),
    how: pick('cut', 'reset', 'half-close'),
    direction: pick('to-server', 'to-client'),
    // A COMMIT is 12 bytes, its answer 18; statements and their answers are longer.
    bytes: Math.floor(next() * (cut === 'commit' ? 19 : 120)),
    delayMs: pick(0, 0, 1, 3),
    savepoint:
      cut === 'savepoint' ? pick('kept', 'undone') : pick('none', 'none', 'kept', 'undone'),
    ending: pick('return', 'return', 'return', 'throw'),
    slowMs: pick(0, 0, 0, 2, 10, 25),
    afterFailure: pick('throw', 'write on', 'write on', 'hang'),
  };
}

/**
 * Runs transactions of several tenants at once and breaks their connections at the points that
 * the seed picks. Resolves with what became of each as its caller saw it; `hung` after `limitMs`.
 */
export async function runScenario(options: {
  client: postgres.Sql;
  proxy: TcpProxy;
  seed: number;
  from: number;
  count: number;
  limitMs: number;
}): Promise<Entry[]> {
  const { client, proxy, seed, from, count, limitMs } = options;
  const db = drizzle(client);
  const entries: Entry[] = [];

  await Promise.all(
    TENANTS.map(async (_, tenant) => {
      for (let id = from; id < from + count; id++) {
        if (id % TENANTS.length !== tenant) continue;
        const plan = planOf(id, seed);
        entries.push(await attempt(plan));
      }
    }),
  );
  return entries;

  async function attempt(plan: Plan): Promise<Entry> {
    if (plan.cut === 'before') breakAny(plan);
    const overdue = new AbortController();
    const settled = begin(plan).then(
      (): Entry => ({ plan, outcome: 'committed' }),
      (error: Error): Entry => ({
        plan,
        outcome: error instanceof CommitOutcomeUnknownError ? 'unknown' : 'rejected',
        error,
      }),
    );
    const hung = sleep(limitMs, undefined, { signal: overdue.signal }).then(
      (): Entry => ({ plan, outcome: 'hung' }),
      () => new Promise<Entry>(() => {}),
    );
    const entry = await Promise.race([settled, hung]);
    overdue.abort();
    if (plan.cut === 'after') breakAny(plan);
    return entry;
  }

  function begin(plan: Plan): Promise<unknown> {
    return plan.api === 'drizzle'
      ? db.transaction((tx) => callback(plan, drizzleSteps(plan, tx)))
      : client.begin((tx) => callback(plan, plainSteps(plan, tx)));
  }

  async function callback(plan: Plan, steps: Steps): Promise<void> {
    try {
      await work(plan, steps);
    } catch (error) {
      if (error instanceof PlannedError || plan.afterFailure === 'throw') throw error;
      if (plan.afterFailure === 'hang') return new Promise(() => {});
      // The fault this is about: a callback that does not notice, or care, that it is dead.
      await sleep(plan.slowMs);
      await steps.event('late').catch(() => {});
      await steps.savepoint((inner) => inner.event('late').then(() => {})).catch(() => {});
      if (plan.ending === 'throw') throw new PlannedError();
    }
  }

  async function work(plan: Plan, steps: Steps): Promise<void> {
    const pid = await steps.action();
    const link = proxy.linkTo(pid);
    link?.delay(plan.delayMs);
    if (plan.cut === 'between') link?.break(plan.how);
    await sleep(plan.slowMs);
    if (plan.cut === 'statement') link?.breakAfter(plan.direction, plan.bytes, plan.how);
    await steps.event('main');
    if (plan.savepoint !== 'none') {
      const undone = new PlannedError();
      await steps
        .savepoint(async (inner) => {
          await inner.event(plan.savepoint);
          if (plan.cut === 'savepoint') link?.breakAfter(plan.direction, plan.bytes % 40, plan.how);
          if (plan.savepoint === 'undone') throw undone;
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error;
        });
    }
    if (plan.ending === 'throw') throw new PlannedError();
    if (plan.cut === 'commit') link?.breakAfter(plan.direction, plan.bytes, plan.how);
  }

  function breakAny(plan: Plan): void {
    const links = [...proxy.links];
    links[plan.bytes % Math.max(1, links.length)]?.break(plan.how);
  }
}

function plainSteps(plan: Plan, tx: postgres.TransactionSql): Steps {
  const { id, tenant } = plan;
  return {
    async action() {
      const [row] = await tx<{ pid: number }[]>`
        insert into guard_action (id, tenant) values (${id}, ${tenant}) returning pid`;
      return row!.pid;
    },
    event: (kind) =>
      tx`insert into guard_event (action_id, tenant, kind) values (${id}, ${tenant}, ${kind})`,
    savepoint: async (work) => {
      await tx.savepoint((inner) => work(plainSteps(plan, inner)));
    },
  };
}

type DrizzleTransaction = Parameters<Parameters<ReturnType<typeof drizzle>['transaction']>[0]>[0];

function drizzleSteps(plan: Plan, tx: DrizzleTransaction): Steps {
  const { id, tenant } = plan;
  return {
    async action() {
      const [row] = await tx
        .insert(actionTable)
        .values({ id, tenant })
        .returning({ pid: actionTable.pid });
      return row!.pid!;
    },
    // Drizzle sends nothing before it is awaited.
    event: async (kind) => {
      await tx.insert(eventTable).values({ actionId: id, tenant, kind });
    },
    savepoint: (work) => tx.transaction((inner) => work(drizzleSteps(plan, inner))),
  };
}
