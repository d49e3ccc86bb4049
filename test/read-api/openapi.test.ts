import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/events/catalogue.ts';
import { createList } from '../../src/lists/create-list.ts';
import { createSearch } from '../../src/searches/create-search.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { TEST_PARCEL } from '../support/records.ts';
import { documentValidator, startContract, type Contract, type Operation } from './contract.ts';

/* The document of the Read API, held against its standard and against what the server does. */
let contract: Contract;
let operations: [path: string, operation: Operation][];

/** The routes of spec §4.2. */
const ROUTES = [
  ...['/v1/ping', '/v1/events/samples', '/v1/lists', '/v1/farms', '/v1/searches', '/v1/leads'],
  ...['/v1/leads/{county}/{account_num}', '/v1/leads/lookup', '/v1/deals', '/v1/deals/{deal_id}'],
  '/v1/orders',
];

beforeAll(async () => {
  contract = await startContract();
  operations = Object.entries(contract.document.paths).map(([path, { get }]) => [path, get]);
});
afterAll(() => contract.close());

it('is valid OpenAPI 3.1', async () => {
  const document: object = structuredClone(contract.document);
  const result = await new Validator().validate(document as Record<string, unknown>);
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(contract.document.openapi).toBe('3.1.0');
});

it('has the eleven routes of spec §4.2, GET only, and the seven events as webhooks', () => {
  expect(operations.map(([path]) => path).toSorted()).toEqual(ROUTES.toSorted());
  for (const item of Object.values(contract.document.paths))
    expect(Object.keys(item)).toEqual(['get']);
  expect(Object.keys(contract.document.webhooks)).toEqual([...EVENT_TYPES]);
});

it('has an id, a tag, a summary and the key for each route, and describes every parameter', () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ROUTES.length);
  const tags = (contract.document as unknown as { tags: { name: string }[] }).tags;
  for (const [path, operation] of operations) {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(tags.map(({ name }) => name)).toContain(operation.tags[0]);
    expect(operation.summary).toMatch(/\.$/);
    expect(operation.security).toEqual([{ key: [] }]);
    for (const { name, description } of operation.parameters ?? []) {
      expect(description, `${path} ${name}`).toMatch(/\.$/);
    }
  }
});

it('says which headers come with which answer', () => {
  const names = (operation: Operation, status: number) =>
    Object.keys(operation.responses[status]?.headers ?? {});
  const quota = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];
  for (const [, operation] of operations) {
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '429', '500', '503']),
    );
    expect(names(operation, 200)).toEqual(quota);
    expect(names(operation, 403)).toEqual(quota);
    expect(names(operation, 401)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
    expect(names(operation, 429)).toEqual([...quota, 'Retry-After']);
  }
});

it('has an example for every answer and event, and each is what its schema says', () => {
  const validate = documentValidator(contract.document);
  const media = [
    ...operations.flatMap(([path, { responses }]) =>
      Object.entries(responses).map(
        ([status, { content }]) => [`${path} ${status}`, content['application/json']] as const,
      ),
    ),
    ...Object.entries(contract.document.webhooks).map(
      ([type, { post }]) => [type, post.requestBody.content['application/json']] as const,
    ),
  ];
  for (const [name, { schema, example }] of media) {
    expect(example, name).toBeDefined();
    expect(validate(schema, example), name).toEqual([]);
  }
});

it('forbids no further fields, since fields are added (spec §9)', () => {
  expect(JSON.stringify(contract.document)).not.toContain('"additionalProperties":false');
});

describe('what the server answers', () => {
  /** A path of each route that answers 200, as this account. */
  async function paths() {
    const { db, context, database } = contract.records;
    const caller = await contract.newCaller('pro');
    const { accountId } = caller;
    const list = await createList(db, { accountId, name: 'L', parcelIds: [TEST_PARCEL] });
    const deal = await createDeal(context, { accountId, parcelId: TEST_PARCEL });
    const criteria = { counties: ['maple'], lead_types: ['probate'] };
    const search = await createSearch(db, { accountId, name: 'S', criteria });
    await database.sql`
      insert into searches (id, account_id, name, criteria)
      values ('srch_old', ${accountId}, 'Old', '{}')`;
    const good = ROUTES.map((route) =>
      route
        .replace('/{county}/{account_num}', '/maple/1')
        .replace('{deal_id}', deal.id)
        .replace(/lookup$/, 'lookup?address=12+Alder+Ct')
        .replace(/leads$/, `leads?list_id=${list.id}&min_score=0`),
    );
    return { caller, good, search };
  }

  it('every status that is documented is met, and each answer is as documented', async () => {
    const { sql } = contract.records.database;
    const { caller, good, search } = await paths();
    for (const path of good) {
      await caller.ok(path);
      await contract.get(
        `${path}${path.includes('?') ? '&' : '?'}nope=1`,
        await contract.newKey(caller.accountId),
      );
      await contract.get(path);
    }
    await caller.get(`/v1/leads?search_id=${search.id}`);
    await caller.get('/v1/leads?search_id=srch_old');
    await caller.get('/v1/leads?list_id=none');
    await caller.get('/v1/leads/maple/none');
    await caller.get('/v1/deals/none');
    const key = await contract.newKey(caller.accountId);
    await sql`
      update api_keys set recent = array_fill(clock_timestamp(), array[120])
      where account_id = ${caller.accountId}`;
    for (const path of good) await contract.get(path, key);
    await sql`update accounts set plan = 'free' where id = ${caller.accountId}`;
    for (const path of good) await contract.get(path, key);
    // Nothing can be decided without the keys, nor answered without a database.
    await sql`alter table api_keys rename to api_keys_away`;
    for (const path of good) await contract.get(path, key);
    await contract.records.database.close();
    for (const path of good) await contract.get(path, key);
    const documented = operations.flatMap(([path, { responses }]) =>
      Object.keys(responses).map((status) => `${path} ${status}`),
    );
    expect([...contract.met].toSorted()).toEqual(documented.toSorted());
  });
});
