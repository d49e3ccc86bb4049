import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startContract, type Contract } from './contract.ts';

/* A client whose types are made of the document by a program that knows nothing of us. */
const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let contract: Contract;
let directory: string;

beforeAll(async () => {
  contract = await startContract();
  directory = await mkdtemp(join(tmpdir(), 'typed-client-'));
  const types = await openapiTS(contract.document as unknown as OpenAPI3);
  await writeFile(join(directory, 'read-api.ts'), astToString(types));
});
afterAll(async () => {
  await contract.close();
  await rm(directory, { recursive: true, force: true });
});

const CLIENT = `import type { paths, webhooks } from './read-api.ts';

type Get<Path extends keyof paths> = paths[Path]['get'];
type Parameters<Path extends keyof paths> = Get<Path>['parameters'];
type Answer<Path extends keyof paths> =
  Get<Path>['responses'][200]['content']['application/json'];

declare function get<Path extends keyof paths>(
  path: Path,
  parameters: Pick<Parameters<Path>, 'path' & keyof Parameters<Path>> & {
    query?: Parameters<Path>['query'];
  },
): Promise<Answer<Path>>;
`;

const CALLS = `
const text = (value: string | null | undefined): void => void value;
const whole = (value: number | undefined): void => void value;

const { ok, user_id, plan, scopes } = await get('/v1/ping', {});
text(user_id); text(plan); text(scopes[0]); const yes: true = ok; void yes;
for (const { id, type, created_at } of (await get('/v1/events/samples', {})).events) {
  text(id); text(type); text(created_at);
}
for (const { name, leads } of (await get('/v1/lists', {})).lists) { text(name); whole(leads); }
for (const { parcels, alerts_enabled } of (await get('/v1/farms', {})).farms) {
  whole(parcels); const on: boolean = alerts_enabled; void on;
}
for (const { label } of (await get('/v1/searches', {})).searches) text(label);
const page = await get('/v1/leads', {
  query: { list_id: 'list_1', tier: 'hot', min_score: 1, lead_type: 'vacant', limit: 5, offset: 0 },
});
text(page.source.kind); whole(page.source.candidates); text(page.filters.tier); whole(page.total);
text(page.leads[0]?.contacts?.phone_secondary);
const one = await get('/v1/leads/{county}/{account_num}', {
  path: { county: 'maple', account_num: '1' },
});
text(one.lead.why); whole(one.lead.contacts?.callable_phones);
const found = await get('/v1/leads/lookup', { query: { address: '12 Alder Ct', zip: '75010' } });
text(found.leads[0]?.crm_note);
const deals = await get('/v1/deals', { query: { status: 'NEW', updated_since: '2026-01-01T00:00:00Z' } });
whole(deals.deals[0]?.money.contract_price); text(deals.deals[0]?.buyer_name);
text((await get('/v1/deals/{deal_id}', { path: { deal_id: 'deal_1' } })).deal.last_activity_at);
const orders = await get('/v1/orders', { query: { service: 'POSTCARD', status: 'PAID' } });
text(orders.orders[0]?.postcard?.mailed_at); text(orders.orders[0]?.contacts?.email_primary);

type Closed = webhooks['deal.closed']['post']['requestBody']['content']['application/json'];
export const fee = ({ data }: Closed): number | null => data.actual_fee_cents;
`;

/** The compiler's complaints; none when the text is right. */
async function compile(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text);
  const options = '--strict --noEmit --target es2023 --module nodenext --ignoreConfig';
  const args = [TSC, ...options.split(' '), '--allowImportingTsExtensions', file];
  return promisify(execFile)(process.execPath, args, { cwd: directory }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

it('every route can be called, and what it answers has types', async () => {
  expect(await compile('good.mts', CLIENT + CALLS)).toBe('');
});

it('what is not in the document does not compile', async () => {
  const wrong = `
await get('/v1/nothing', {});
await get('/v1/leads', { query: { tier: 'lukewarm' } });
await get('/v1/leads', { query: { county: 'maple' } });
(await get('/v1/ping', {})).secret;
export {};
`;
  const complaints = await compile('wrong.mts', CLIENT + wrong);
  expect(complaints.match(/error TS/g)).toHaveLength(4);
});
