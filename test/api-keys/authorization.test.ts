import { eq } from 'drizzle-orm';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts } from '../../drizzle/schema.ts';
import { generateKey, hashKey } from '../../src/api-keys/key-text.ts';
import { revokeKey } from '../../src/api-keys/revoke-key.ts';
import { onError, onNotFound, type ApiEnv } from '../../src/api/on-error.ts';
import { serveApi, type HttpServer } from '../../src/api/serve.ts';
import { createAuthenticator } from '../../src/api-keys/authenticator.ts';
import { authenticated, type CallerEnv } from '../../src/api/v1/authenticated.ts';
import { ping, pingAnswer } from '../../src/api/v1/ping.ts';
import { readOnly } from '../../src/api/v1/read-only.ts';
import { openDatabase, type Database } from '../../src/db/client.ts';
import { upgradeRequired, unreplayable } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { rawRequest } from './raw-request.ts';
import { newKey, recentOf, setRecent } from './recent.ts';

/* What stands before the routes of the Read API, over real sockets; each server has its own pool. */
let records: TestRecords;
const servers: { http: HttpServer; database: Database }[] = [];

beforeAll(async () => {
  records = await createTestRecords();
  for (let i = 0; i < 4; i += 1) {
    const database = openDatabase(records.url, { max: 4, name: `server ${i}` });
    servers.push({ database, http: await serveApi(createApp(database), '127.0.0.1', 0) });
  }
});

afterAll(async () => {
  for (const { http, database } of servers) {
    await http.close();
    await database.close();
  }
  await records.close();
});

function createApp({ db }: Database) {
  const app = new Hono<ApiEnv>();
  app.use(async (context, next) => {
    context.set('requestId', `req_${Math.random()}`);
    context.header('X-Request-Id', context.var.requestId);
    await next();
  });
  app.onError(onError(createLog('silent')));
  app.notFound(onNotFound);
  const api = new Hono<CallerEnv>();
  api.use('/v1/*', readOnly, authenticated(createAuthenticator(db)));
  api.get('/v1/ping', ping);
  api.get('/v1/broken', () => {
    throw new Error('a bug');
  });
  api.get('/v1/above', () => {
    throw upgradeRequired('elite', 'Probate leads need the Elite plan.');
  });
  api.get('/v1/old', () => {
    throw unreplayable('The search was saved by an older version.');
  });
  return app.route('/', api);
}

const ask = (requestLine: string, headers: string[] = [], server = 0) =>
  rawRequest(servers[server]!.http.port, requestLine, headers);
const bearer = (key: string) => `Authorization: Bearer ${key}`;

/** An answer without what differs from request to request. */
function constant({ status, headers, body }: Awaited<ReturnType<typeof ask>>) {
  const { 'x-request-id': id, ...others } = headers;
  delete others['date'];
  expect(body?.['request_id']).toBe(id);
  return { status, headers: others, body: { ...body, request_id: 'req' } };
}

const UNAUTHORIZED = {
  status: 401,
  headers: {
    ...{ 'content-type': 'application/json', 'content-length': expect.any(String) as unknown },
    ...{ 'cache-control': 'private, no-store', 'www-authenticate': 'Bearer', connection: 'close' },
  },
  body: { error: 'unauthorized', message: expect.any(String) as unknown, request_id: 'req' },
};

describe('with a good key', () => {
  it('GET /v1/ping says whose it is, and how it stands with the limit', async () => {
    const { accountId, key } = await newKey(records);
    const answer = await ask('GET /v1/ping', [bearer(key)]);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ ok: true, user_id: accountId, plan: 'elite', scopes: ['read'] });
    expect(pingAnswer.parse(answer.body)).toEqual(answer.body);
    expect(answer.headers).toMatchObject({
      ...{ 'ratelimit-policy': '"key";q=120;w=60', ratelimit: '"key";r=119;t=60' },
      'cache-control': 'private, no-store',
    });
    const lower = await ask('GET /v1/ping', [`authorization: bearer   ${key}`], 1);
    expect(lower.headers).toMatchObject({ ratelimit: '"key";r=118;t=60' });
  });

  it('HEAD is GET without a body, and counts like it', async () => {
    const { key } = await newKey(records);
    const { status, text, headers } = await ask('HEAD /v1/ping', [bearer(key)]);
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(headers).toMatchObject({ ratelimit: '"key";r=119;t=60' });
  });

  it.each([
    ['/v1/nothing', 404, { error: 'not_found' }],
    ['/v1', 404, { error: 'not_found' }],
    ['/v1/broken', 500, { error: 'internal' }],
    ['/v1/above', 403, { error: 'upgrade_required', required_plan: 'elite' }],
    ['/v1/old', 422, { error: 'unreplayable' }],
  ])('%s is answered %i in the one shape, with the limit', async (path, status, fields) => {
    const { key } = await newKey(records);
    const answer = constant(await ask(`GET ${path}`, [bearer(key)]));
    expect(answer).toMatchObject({ status, headers: { ratelimit: '"key";r=119;t=60' } });
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store' });
    const message = expect.any(String) as unknown;
    expect(answer.body).toEqual({ ...fields, message, request_id: 'req' });
  });

  it('the 121st request is 429 with the seconds to wait', async () => {
    const { keyId, key } = await newKey(records);
    await setRecent(records.database, keyId, Array<number>(120).fill(45_500));
    const answer = constant(await ask('GET /v1/ping', [bearer(key)]));
    expect(answer).toMatchObject({
      ...{ status: 429, body: { error: 'rate_limited' } },
      headers: {
        ...{ 'retry-after': '15', ratelimit: '"key";r=0;t=15' },
        ...{ 'ratelimit-policy': '"key";q=120;w=60', 'cache-control': 'private, no-store' },
      },
    });
  });

  it('of a Free account the answer is 403 pro_required', async () => {
    const { accountId, key } = await newKey(records);
    await records.db.update(accounts).set({ plan: 'free' }).where(eq(accounts.id, accountId));
    const answer = constant(await ask('GET /v1/ping', [bearer(key)]));
    expect(answer).toMatchObject({
      ...{ status: 403, headers: { ratelimit: '"key";r=120;t=0' } },
      body: { error: 'pro_required', request_id: 'req' },
    });
  });
});

describe('without a good key every answer is the same 401', () => {
  const attacks: [string, (key: string) => { path?: string; headers?: string[] }][] = [
    ['no header', () => ({})],
    ['an empty header', () => ({ headers: ['Authorization:'] })],
    ['the scheme alone', () => ({ headers: ['Authorization: Bearer'] })],
    ['the scheme and spaces', () => ({ headers: ['Authorization: Bearer    '] })],
    ['the header twice, both good', (key) => ({ headers: [bearer(key), bearer(key)] })],
    ['a good header, then a bad one', (key) => ({ headers: [bearer(key), bearer('x')] })],
    ['a bad header, then a good one', (key) => ({ headers: [bearer('x'), bearer(key)] })],
    ['a good header, then an empty one', (key) => ({ headers: [bearer(key), 'Authorization:'] })],
    ['an empty header, then a good one', (key) => ({ headers: ['authorization:', bearer(key)] })],
    ['two keys in one header', (key) => ({ headers: [`${bearer(key)}, Bearer ${key}`] })],
    ['a list of one', (key) => ({ headers: [`${bearer(key)},`] })],
    ['a word after the key', (key) => ({ headers: [`${bearer(key)} x`] })],
    ['a tab for the space', (key) => ({ headers: [`Authorization: Bearer\t${key}`] })],
    ['the key in quotes', (key) => ({ headers: [bearer(`"${key}"`)] })],
    ['another header', (key) => ({ headers: [`Proxy-Authorization: Bearer ${key}`] })],
    ['X-API-Key', (key) => ({ headers: [`X-API-Key: ${key}`] })],
    ['a cookie', (key) => ({ headers: [`Cookie: Authorization=Bearer ${key}`] })],
    ['the key in the query', (key) => ({ path: `/v1/ping?key=${key}&access_token=${key}` })],
    ['the header in the query', (key) => ({ path: `/v1/ping?Authorization=Bearer%20${key}` })],
    ['no scheme', (key) => ({ headers: [`Authorization: ${key}`] })],
    ['the scheme Token', (key) => ({ headers: [`Authorization: Token ${key}`] })],
    ['the scheme basic', (key) => ({ headers: [`Authorization: basic ${key}`] })],
    [
      'the scheme Basic, encoded',
      (key) => ({ headers: [`Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`] }),
    ],
    ['a checksum that is wrong', (key) => ({ headers: [bearer(withOther(key, -1))] })],
    ['a key that is mistyped', (key) => ({ headers: [bearer(withOther(key, 12))] })],
    ['a key cut short', (key) => ({ headers: [bearer(key.slice(0, -1))] })],
    ['a key in capitals', (key) => ({ headers: [bearer(key.toUpperCase())] })],
    ['a key that nobody has', () => ({ headers: [bearer(generateKey())] })],
    ["the key's hash in hex", (key) => ({ headers: [bearer(hashKey(key).toString('hex'))] })],
    ["the key's hash in base64", (key) => ({ headers: [bearer(hashKey(key).toString('base64'))] })],
    [
      "the key's hash with the prefix",
      (key) => ({ headers: [bearer(`svc_live_${hashKey(key).toString('hex').slice(0, 36)}`)] }),
    ],
    ['8 kB of key', () => ({ headers: [bearer(`svc_live_${'x'.repeat(8_000)}`)] })],
    ['an override to another method', () => ({ headers: ['X-HTTP-Method-Override: HEAD'] })],
    ['a route that is not there', () => ({ path: '/v1/nothing' })],
    ['the root', () => ({ path: '/v1' })],
    ['an encoded letter', () => ({ path: '/v1/%70ing' })],
    ['dots in the path', () => ({ path: '/readyz/../v1/ping' })],
    ['the absolute form', () => ({ path: 'http://127.0.0.1/v1/ping' })],
  ];

  const withOther = (key: string, at: number) =>
    key.slice(0, at) + (key.at(at) === 'a' ? 'b' : 'a') + (at === -1 ? '' : key.slice(at + 1));

  it.each(attacks)('%s', async (_, attack) => {
    const { keyId, key } = await newKey(records);
    const { path = '/v1/ping', headers = [] } = attack(key);
    expect(constant(await ask(`GET ${path}`, headers))).toEqual(UNAUTHORIZED);
    expect(await recentOf(records.database, keyId)).toEqual([]);
  });

  it('to the byte, but for the request id', async () => {
    const seen = new Set<string>();
    const { accountId, keyId, key } = await newKey(records);
    await revokeKey(records.context, { accountId, keyId });
    for (const headers of [[], [bearer('x')], [bearer(key)], [bearer(generateKey())]]) {
      const { body } = constant(await ask('GET /v1/ping', headers));
      seen.add(JSON.stringify(body));
    }
    expect(seen.size).toBe(1);
  });

  it('a revoked key, asked for again and again of every server', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { accountId, keyId, key } = await newKey(records);
      const all = (count: number) =>
        Promise.all(
          servers.flatMap((_, server) =>
            Array.from({ length: count }, () => ask('GET /v1/ping', [bearer(key)], server)),
          ),
        );
      expect((await all(1)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await revokeKey(records.context, { accountId, keyId });
      for (const answer of await all(5)) expect(constant(answer)).toEqual(UNAUTHORIZED);
    }
  });
});

describe('ways around the path and the method', () => {
  it.each([
    '//v1/ping',
    '/v1%2Fping',
    '/%2Fv1/ping',
    '/V1/ping',
    '/v1//ping',
    '/v1/ping/',
    '/v1;/ping',
  ])('%s is no way in', async (path) => {
    const { key } = await newKey(records);
    const { status: without } = await ask(`GET ${path}`);
    expect([401, 404]).toContain(without);
    // Nor is it a way to the route past the limit.
    expect((await ask(`GET ${path}`, [bearer(key)])).status).toBe(404);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '%s is 405 with what is allowed, and counts for no key',
    async (method) => {
      const { keyId, key } = await newKey(records);
      for (const headers of [[], [bearer(key)], [bearer(key), 'X-HTTP-Method-Override: GET']]) {
        const answer = constant(await ask(`${method} /v1/ping`, [...headers, 'Content-Length: 0']));
        expect(answer).toMatchObject({
          ...{ status: 405, headers: { allow: 'GET, HEAD', 'cache-control': 'private, no-store' } },
          body: { error: 'method_not_allowed' },
        });
      }
      expect(await recentOf(records.database, keyId)).toEqual([]);
    },
  );

  it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])(
    '%s changes nothing',
    async (name) => {
      const { key } = await newKey(records);
      const answer = await ask('GET /v1/ping?_method=DELETE', [bearer(key), `${name}: DELETE`]);
      expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    },
  );
});
