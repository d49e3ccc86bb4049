import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import { serveApi, type HttpServer } from '../../src/api/serve.ts';
import { openDatabase, type Database } from '../../src/db/client.ts';
import { createLog } from '../../src/log.ts';
import { appUrls } from '../../src/urls.ts';
import { PUBLIC_URL } from '../support/config.ts';
import { eventually } from '../support/customer.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { ask, errorOf, startContract, type Contract } from './contract.ts';

/* The API's way to the database goes through a proxy, and is cut. */
let contract: Contract;
let proxy: TcpProxy;
let database: Database;
let server: HttpServer;
let key: string;

beforeAll(async () => {
  contract = await startContract();
  const { accountId } = await contract.newCaller();
  key = await contract.newKey(accountId);
  proxy = await TcpProxy.start(contract.records.url);
  database = openDatabase(proxy.url(contract.records.url), { max: 3, name: 'through a proxy' });
  const { db, sql } = database;
  const style = { serviceName: 'Lead Events', urls: appUrls(PUBLIC_URL) };
  const app = createApi({ log: createLog('silent'), db, style, ping: () => sql`select 1` });
  server = await serveApi(app, '127.0.0.1', 0);
});
afterAll(async () => {
  await server.close();
  await database.close();
  await proxy.close();
  await contract.close();
});

const get = (path: string) =>
  ask(`http://127.0.0.1:${server.port}`, path, { headers: { authorization: `Bearer ${key}` } });

const AWAY = {
  ...{ status: 503, error: 'unavailable' },
  message: 'The service cannot answer at the moment; try again.',
};

describe('while the database cannot be reached every answer is 503 unavailable', () => {
  it.each(['cut', 'reset', 'half-close'] as const)('%s during a query', async (how) => {
    const { sql } = contract.records.database;
    let answer: ReturnType<typeof get> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table parcels in access exclusive mode`;
      answer = get('/v1/leads/maple/1');
      await eventually(async () => {
        const [waiting] = await sql`
          select 1 from pg_stat_activity
          where application_name = 'through a proxy' and wait_event_type = 'Lock'`;
        return waiting;
      });
      for (const link of proxy.links) link.break(how);
      await answer;
    });
    expect(errorOf(await answer!)).toEqual(AWAY);
    expect((await answer!).headers.get('retry-after')).toBe('5');
    // The next request has a connection of its own.
    expect((await get('/v1/ping')).status).toBe(200);
  });

  it('gone altogether, also for keys that nobody has', async () => {
    await proxy.close();
    for (const path of ['/v1/ping', '/v1/deals', '/v1/nothing']) {
      expect(errorOf(await get(path))).toEqual(AWAY);
    }
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/healthz')).status).toBe(200);
    // What needs no database is answered as ever.
    const malformed = { headers: { authorization: 'Bearer x' } };
    const answer = await ask(`http://127.0.0.1:${server.port}`, '/v1/ping', malformed);
    expect(answer.status).toBe(401);
  });
});
