import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LEAD_TYPE_IDS, LEAD_TYPES } from '../../src/domain/lead-type.ts';
import { PLANS, planIncludes } from '../../src/domain/plan.ts';
import { documentValidator, startContract, type Contract } from './contract.ts';

/* docs/read-api.md says what is so. */
let contract: Contract;
let guide: string;

beforeAll(async () => {
  contract = await startContract();
  guide = await readFile(new URL('../../docs/read-api.md', import.meta.url), 'utf8');
});
afterAll(() => contract.close());

/** What stands under a heading, up to the next. */
function section(heading: string): string {
  const [, text = ''] = guide.split(`${heading}\n`);
  expect(text, heading).not.toBe('');
  return text.split(/\n##+ /)[0] ?? '';
}

const json = (text: string) => [...text.matchAll(/```json\n([^`]+)```/g)].map(([, body]) => body);

it('every route has its section, with its parameters and a true example', () => {
  const validate = documentValidator(contract.document);
  for (const [path, { get }] of Object.entries(contract.document.paths)) {
    const text = section(path === '/v1/ping' ? '## The first request' : `### GET ${path}`);
    for (const { name, in: place } of get.parameters ?? []) {
      if (place === 'query') expect(text, path).toContain(`\`${name}\``);
    }
    const { schema } = get.responses[200]!.content['application/json'];
    for (const example of json(text)) {
      expect(validate(schema, JSON.parse(example ?? '')), path).toEqual([]);
    }
  }
  expect(json(guide)).toHaveLength(9);
});

it('the table of errors has every status and code', () => {
  const text = section('## Errors');
  const met = Object.values(contract.document.paths).flatMap(({ get }) =>
    Object.entries(get.responses).filter(([status]) => status !== '200'),
  );
  for (const [status, { content }] of met) {
    const { error } = content['application/json'].example as { error: string };
    expect(text).toMatch(new RegExp(`\\| ${status} +\\| \`${error}\``));
  }
});

it('the table of plans is that of the code', () => {
  const rows = section('## Plans').split('\n');
  for (const type of LEAD_TYPE_IDS) {
    const row = rows.find((line) => line.includes(`\`${type}\``)) ?? '';
    const cells = row.split('|').slice(2, 5);
    const carried = PLANS.map((plan) => planIncludes(plan, LEAD_TYPES[type].plan));
    expect(cells.map((cell) => cell.trim() === 'yes')).toEqual(carried);
  }
});

it('its first request works as it stands', async () => {
  const [, command] = /(curl -H .*)\n/.exec(section('## The first request')) ?? [];
  const [, header = '', url = ''] = /^curl -H "(.+)" (\S+)$/.exec(command ?? '') ?? [];
  const { accountId } = await contract.newCaller();
  const key = await contract.newKey(accountId);
  const [name = '', value = ''] = header.replace('$SVC_KEY', key).split(': ');
  const answer = await fetch(contract.url + new URL(url).pathname, { headers: { [name]: value } });
  expect(await answer.json()).toMatchObject({ ok: true, user_id: accountId });
});
