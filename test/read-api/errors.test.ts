import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeal } from '../../src/deals/create-deal.ts';
import { createApi } from '../../src/api/app.ts';
import { createLog } from '../../src/log.ts';
import { appUrls } from '../../src/urls.ts';
import { PUBLIC_URL } from '../support/config.ts';
import { TEST_PARCEL } from '../support/records.ts';
import { ask, errorOf, startContract, type Caller, type Contract } from './contract.ts';
import { insertOrder } from './data.ts';

/* Every error has one shape, says what is wrong, and gives nothing away (spec §7.1). */
let contract: Contract;
let caller: Caller;
let key: string;

beforeAll(async () => {
  contract = await startContract();
  caller = await contract.newCaller();
  key = await contract.newKey(caller.accountId);
});
afterAll(() => contract.close());

const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(contract.url, path, { method, headers });
const withKey = () => ({ authorization: `Bearer ${key}` });

describe('what does not exist is 404 not_found with a key, and 401 without', () => {
  it.each([
    ...['/v1', '/v1/', '/v1/nothing', '/v1/ping/', '/v1//ping', '/v1/deals/', '/v1/leads/elm'],
    ...['/v1/leads/elm/1/', '/v1/leads/elm/1/2', '/v1/leads//1', '/v1/orders/ord_1', '/v1/PING'],
    ...['/v1/ping%2F', '/v1%2Fping', '/v1/events', '/v1/ping%00', '/v1/ping;a=b', '/v1/ping.json'],
  ])('%s', async (path) => {
    const error = errorOf(await raw(path, withKey()));
    expect(error).toMatchObject({ status: 404, error: 'not_found' });
    expect(Object.keys(error)).toEqual(['status', 'error', 'message']);
    const status = path.startsWith('/v1%2F') ? 404 : 401;
    expect(errorOf(await raw(path))).toMatchObject({ status });
  });

  it.each(['//v1/ping', '/V1/ping', '/', '/nothing', '/docs/', '/docs/../x', '/v2/ping'])(
    'outside of /v1 it is 404 either way: %s',
    async (path) => {
      expect(errorOf(await raw(path))).toMatchObject({ status: 404, error: 'not_found' });
      expect(errorOf(await raw(path, withKey()))).toMatchObject({ status: 404 });
    },
  );

  it.each(['/%76%31/ping', '/v1/%70ping'.replace('%70p', '%70'), '/v1/leads/%6cookup?address=1'])(
    'no spelling of a path gets by the key: %s',
    async (path) => {
      expect(errorOf(await raw(path))).toMatchObject({ status: 401, error: 'unauthorized' });
    },
  );
});

describe('GET only (spec §4.2)', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '%s is 405',
    async (method) => {
      for (const headers of [{}, withKey()]) {
        const answer = await raw('/v1/deals', headers, method);
        expect(errorOf(answer)).toMatchObject({ status: 405, error: 'method_not_allowed' });
        expect(answer.headers.get('allow')).toBe('GET, HEAD');
      }
    },
  );

  it.each(['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'])(
    '%s changes nothing',
    async (header) => {
      const { status } = await raw('/v1/ping', { ...withKey(), [header]: 'DELETE' });
      expect(status).toBe(200);
    },
  );

  it.each(['/v1/ping', '/v1/deals?limit=1', '/v1/lists'])(
    'HEAD is GET without the body: %s',
    async (path) => {
      const get = await raw(path, withKey());
      const head = await raw(path, withKey(), 'HEAD');
      expect(head.status).toBe(200);
      expect(head.body).toEqual({ text: '' });
      for (const name of ['content-type', 'cache-control', 'ratelimit-policy']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
      expect(head.headers.get('x-request-id')).toMatch(/^req_/);
    },
  );

  it('HEAD of what is refused has the status of the refusal', async () => {
    expect((await raw('/v1/ping', {}, 'HEAD')).status).toBe(401);
    expect((await raw('/v1/deals?limit=0', withKey(), 'HEAD')).status).toBe(400);
    expect((await raw('/v1/deals/none', withKey(), 'HEAD')).status).toBe(404);
  });
});

describe('parameters: 400 says which, what was given and what is allowed', () => {
  const long = 'x'.repeat(5_000);

  it.each([
    ['limit=1&limit=2', 'limit: is given 2 times; once is allowed.'],
    ['limit=5&limit=5&limit=5', 'limit: is given 3 times; once is allowed.'],
    ['status=NEW&status=DEAD', 'status: is given 2 times; once is allowed.'],
    ['limit[]=1', 'There is no parameter "limit[]" here; there are …'],
    ['Limit=1', 'There is no parameter "Limit" here; there are …'],
    ['page=1&cursor=abc', 'There is no parameter "page", "cursor" here; there are …'],
    ['account_id=acct_1', 'There is no parameter "account_id" here; there are …'],
    ['user_id=acct_1', 'There is no parameter "user_id" here; there are …'],
    ['__proto__=1', 'There is no parameter "__proto__" here; there are …'],
    [
      'constructor=1&toString=2',
      'There is no parameter "constructor", "toString" here; there are …',
    ],
    ['=1', 'There is no parameter "" here; there are …'],
    [`${long}=1`, `There is no parameter "${'x'.repeat(59)}… here; there are …`],
    [`limit=${long}`, `limit: must be a whole number from 1 to 100, not "${'x'.repeat(59)}….`],
    ['limit=1%00', 'limit: must be a whole number from 1 to 100, not "1\\u0000".'],
    ['limit=%F0%9F%98%80', 'limit: must be a whole number from 1 to 100, not "😀".'],
    ['limit=%FF', 'limit: must be a whole number from 1 to 100, not "%FF".'],
    ['limit=%', 'limit: must be a whole number from 1 to 100, not "%".'],
    ["status=NEW'--", `status: must be one of … not "NEW'--".`],
  ])('%s', async (query, message) => {
    const error = errorOf(await caller.get(`/v1/deals?${query}`));
    expect(error).toMatchObject({ status: 400, error: 'bad_request' });
    const [begin = '', end = ''] = message.split('…');
    expect(error['message']).toContain(begin);
    expect(error['message']).toContain(end);
    expect(String(error['message']).length).toBeLessThan(300);
    expect(error['message']).not.toMatch(/\p{Surrogate}/u);
  });

  it('a long text is cut between characters, never within one', async () => {
    const error = errorOf(await caller.get(`/v1/deals?limit=${'%F0%9F%98%80'.repeat(80)}`));
    expect(error['message']).not.toMatch(/\p{Surrogate}/u);
  });

  it.each([
    ['/v1/deals/%00', 'deal_id: must be an id, not "\\u0000".'],
    ['/v1/deals/a%00b', 'deal_id: must be an id, not "a\\u0000b".'],
    [`/v1/deals/${long}`, 'deal_id: must have 200 characters at most, not "x'],
    ['/v1/leads/elm/%00', 'account_num: must be a number, not "\\u0000".'],
    [`/v1/leads/${long}/1`, 'county: must have 200 characters at most, not "x'],
    ['/v1/leads?list_id=%00', 'list_id: must be an id, not "\\u0000".'],
    [`/v1/leads?farm_id=${long}`, 'farm_id: must have 200 characters at most, not "x'],
    ['/v1/leads/lookup?address=%00', 'address: must be an address, not "\\u0000".'],
  ])('%s', async (path, message) => {
    const error = errorOf(await caller.get(path));
    expect(error).toMatchObject({ status: 400, error: 'bad_request' });
    expect(error['message']).toContain(message);
  });

  it.each([
    ...['/v1/deals/%ED%A0%80', '/v1/deals/%FF', '/v1/deals/%', '/v1/deals/%2F', '/v1/deals/..%2F'],
    ...['/v1/deals/%F0%9F%98%80', "/v1/deals/'%20or%201=1--", '/v1/deals/%25', '/v1/deals/null'],
    ...['/v1/leads/elm/%2F1', '/v1/leads/%2F/1', '/v1/leads/a:b/c', '/v1/leads/elm%3A1/1'],
    ...['/v1/leads?list_id=%ED%A0%80', '/v1/leads?list_id=%', '/v1/leads?search_id=%25'],
  ])('%s names nothing: 404', async (path) => {
    expect(errorOf(await caller.get(path))).toMatchObject({ status: 404, error: 'not_found' });
  });

  it('a URL that is too long is refused before it gets to us', async () => {
    const { status } = await raw(`/v1/deals?limit=${'1'.repeat(20_000)}`, withKey());
    expect(status).toBe(431);
    expect((await raw('/v1/ping', withKey())).status).toBe(200);
  });
});

describe('a fault of our own is 500 and tells nothing', () => {
  const INTERNAL = { status: 500, error: 'internal', message: 'Something went wrong on our side.' };

  it('a row that cannot be shown', async () => {
    const { db, database } = contract.records;
    const { accountId, get, ok } = await contract.newCaller();
    const fulfilledAt = '2026-02-03T04:05:06Z';
    const order = { accountId, parcelId: TEST_PARCEL, status: 'FULFILLED' as const, fulfilledAt };
    const id = await insertOrder(db, order);
    await database.sql`update orders set contacts = '{"emails": "secret@example.com"}' where id = ${id}`;
    expect(errorOf(await get('/v1/orders'))).toEqual(INTERNAL);
    expect(errorOf(await get('/v1/leads/maple/1'))).toEqual(INTERNAL);
    await ok('/v1/deals');
  });

  it('the log has the id of the request, and nothing of the key or of contacts', async () => {
    const { db, database } = contract.records;
    const { accountId } = await contract.newCaller();
    const own = await contract.newKey(accountId);
    await database.sql`
      insert into searches (id, account_id, name, criteria)
      values ('srch_canary', ${accountId}, 'canary@example.com', '{"counties": ["maple"]}')`;
    await database.sql`alter table parcels rename to parcels_away`;
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const style = { serviceName: 'Lead Events', urls: appUrls(PUBLIC_URL) };
    const app = createApi({ log, db, style, ping: () => Promise.resolve() });
    const path = '/v1/leads/lookup?address=12+Canary+Ct';
    const headers = { authorization: `Bearer ${own}` };
    for (const asked of [path, '/v1/leads?search_id=srch_canary']) {
      const response = await app.request(asked, { headers });
      expect(response.status).toBe(500);
      const line = lines.pop() ?? '';
      expect(JSON.parse(line)).toMatchObject({ requestId: response.headers.get('x-request-id') });
      for (const secret of [own, /canary/i, /select/i]) expect(line).not.toMatch(secret);
    }
    await database.sql`alter table parcels_away rename to parcels`;
  });

  it('a table that is gone', async () => {
    const { database, context } = contract.records;
    const { accountId, get, ok } = await contract.newCaller();
    const { id } = await createDeal(context, { accountId, parcelId: TEST_PARCEL });
    await database.sql`alter table deals rename to deals_away`;
    expect(errorOf(await get('/v1/deals?status=NEW'))).toEqual(INTERNAL);
    expect(errorOf(await get(`/v1/deals/${id}`))).toEqual(INTERNAL);
    await database.sql`alter table deals_away rename to deals`;
    await ok(`/v1/deals/${id}`);
  });
});
