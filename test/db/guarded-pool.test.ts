import { setTimeout as sleep } from 'node:timers/promises';
import { sql as fragment } from 'drizzle-orm';
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGuardedClient, type GuardedClientOptions } from '../../src/db/guarded-client.ts';
import { parseArray } from '../../src/db/pg-arrays.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
const clients: postgres.Sql[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end({ timeout: 0 })));
});

afterAll(() => database.drop());

function open(options: GuardedClientOptions = {}, url = database.url): postgres.Sql {
  const client = createGuardedClient(url, options);
  clients.push(client);
  return client;
}

const pid = async (sql: postgres.Sql) =>
  Number((await sql`select pg_backend_pid() as pid`)[0]!['pid']);

describe('values', () => {
  it('are read and written as by postgres.js', async () => {
    const sql = open();
    const [row] = await sql`
      select 5::int8 as big, now() as at, ${['x', 'y"\\z', null]}::text[] as texts,
        array[[1, 2], [3, 4]] as grid, '{}'::jsonb as json, ${[1, 3]}::int[] as numbers`;
    expect(row).toEqual({
      big: '5',
      at: expect.any(Date),
      texts: ['x', 'y"\\z', null],
      grid: [
        [1, 2],
        [3, 4],
      ],
      json: {},
      numbers: [1, 3],
    });
    expect(await sql`select 2 as n where 2 = any(${[1, 2]})`).toHaveLength(1);
  });

  it.each([
    ['{}', []],
    ['{a,NULL,"NULL",""}', ['a', null, 'NULL', '']],
    ['{"a,b","{c}","d\\"\\\\e"}', ['a,b', '{c}', 'd"\\e']],
    ['{{a},{b}}', [['a'], ['b']]],
    ['[2:3]={a,b}', ['a', 'b']],
  ])('reads the array %s', (written, read) => {
    expect(parseArray(written)).toEqual(read);
  });

  it('stay with their statements when some cannot be sent', async () => {
    const sql = open({ max: 1 });
    const unsendable = undefined as unknown as string;
    const answers = await Promise.allSettled([
      sql`select 1 as n`,
      sql`select ${unsendable} as n`,
      sql`select ${unsendable} as n`,
      sql`select 4 as n`,
    ]);
    expect(
      answers.map((each) => (each.status === 'fulfilled' ? each.value[0]!['n'] : 'no')),
    ).toEqual([1, 'no', 'no', 4]);
  });

  it('reach drizzle-orm as it needs them, although it is told after connecting', async () => {
    const sql = open();
    await sql`create table sample (id int, at timestamptz, tags text[])`;
    const sample = pgTable('sample', {
      id: integer('id'),
      at: timestamp('at', { withTimezone: true }),
      tags: text('tags').array(),
    });
    const db = drizzle(sql);
    const row = { id: 1, at: new Date('2026-01-02T03:04:05.678Z'), tags: ['a', 'b,c'] };
    await db.insert(sample).values(row);
    expect(await db.select().from(sample)).toEqual([row]);
    const level = await db.transaction((tx) => tx.execute(fragment`show transaction_isolation`), {
      isolationLevel: 'serializable',
    });
    expect(level[0]).toEqual({ transaction_isolation: 'serializable' });
  });
});

describe('connections', () => {
  it('carry their settings', async () => {
    const sql = open({ applicationName: 'probe', statementTimeoutMs: 1_234 });
    const [row] = await sql`
      select current_setting('application_name') as name,
        current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`;
    expect(row).toEqual({ name: 'probe', statement: '1234ms', idle: '30s' });
  });

  it('are at most as many as allowed, and are reused', async () => {
    const sql = open({ max: 2 });
    // Each is held until the other has begun, so that one connection cannot serve both.
    let begun = 0;
    const held = await Promise.all(
      [1, 2].map(() =>
        sql.begin(async (tx) => {
          begun += 1;
          await vi.waitUntil(() => begun === 2);
          return pid(tx as unknown as postgres.Sql);
        }),
      ),
    );
    const pids = await Promise.all(Array.from({ length: 20 }, () => pid(sql)));
    expect(new Set(held).size).toBe(2);
    expect(new Set([...held, ...pids]).size).toBe(2);
  });

  it('are replaced after their lifetime and after a loss', async () => {
    const sql = open({ max: 1, maxLifetimeMs: 50 });
    const first = await pid(sql);
    await sleep(60);
    const second = await pid(sql);
    expect(second).not.toBe(first);
    const killer = open();
    await killer`select pg_terminate_backend(${second})`;
    await sleep(20);
    expect(await pid(sql)).not.toBe(second);
  });

  it('are reported as unavailable to all who wait when none can be made', async () => {
    const sql = open({ max: 2 }, 'postgres://nobody@127.0.0.1:1/none');
    const waits = [sql`select 1`, sql.begin((tx) => tx`select 1`), sql`select 1`, sql`select 1`];
    for (const wait of await Promise.allSettled(waits)) {
      expect(wait).toMatchObject({ reason: { code: 'unavailable' } });
    }
  });

  it('deliver notifications', async () => {
    const sql = open();
    const heard: string[] = [];
    await sql.listen('probe', (payload) => heard.push(payload));
    await sql.begin((tx) => tx.notify('probe', 'hello'));
    await expect.poll(() => heard).toEqual(['hello']);
  });

  it('survive a statement that is cancelled, waiting or running', async () => {
    const sql = open({ max: 1 });
    const running = sql`select pg_sleep(10)`.execute();
    const waiting = sql`select 1`.execute();
    await sleep(50);
    waiting.cancel();
    running.cancel();
    await expect(waiting).rejects.toMatchObject({ code: '57014' });
    await expect(running).rejects.toMatchObject({ code: '57014' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describe('end()', () => {
  it('lets what is running finish, then refuses', async () => {
    const sql = open();
    const running = sql.begin((tx) => tx`select pg_sleep(0.1), 1 as one`);
    await sleep(50);
    await sql.end({ timeout: 5 });
    expect((await running)[0]).toMatchObject({ one: 1 });
    await expect(sql`select 1`).rejects.toMatchObject({ code: 'unavailable' });
    await expect(sql.begin(() => {})).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('does not wait longer than it is told to', async () => {
    const sql = open();
    const stuck = sql.begin(() => new Promise(() => {}));
    const refusal = expect(stuck).rejects.toMatchObject({ code: 'unavailable' });
    await sleep(50);
    await sql.end({ timeout: 0.05 });
    await refusal;
  });
});

describe('what escapes the guard upstream', () => {
  it('is not offered', async () => {
    const sql = open();
    for (const call of [
      () => sql.reserve(),
      () => sql.largeObject(),
      () => sql.file('x'),
      () => sql`copy x to stdout`.readable(),
      () => sql`select 1`.cursor(),
    ]) {
      expect(call).toThrow();
    }
    await expect(sql.unsafe('begin')).rejects.toThrow('Use begin()');
  });
});
