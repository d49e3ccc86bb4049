import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDeal } from '../../src/deals/create-deal.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { dealEventsOf } from '../support/deal-events.ts';
import { TEST_PARCEL } from '../support/records.ts';
import { startContract, type Contract, type Json } from './contract.ts';

/* At every stage an event says what the Read API says (spec §1.6, §2.3, §2.5). */
let contract: Contract;
beforeAll(async () => {
  contract = await startContract();
});
afterAll(() => contract.close());

/** Fields that a deal has in events only; `to_status` is what the Read API calls `status`. */
const ONLY_IN_EVENTS = ['from_status', 'to_status', 'source'];
const ONLY_IN_CLOSED = [
  ...['closed_at', 'actual_fee_cents', 'actual_sale_price_cents', 'actual_profit_cents'],
  'contract_price_cents',
];

/** A life that goes through every stage; closing comes last, since it is final. */
const LIFE: [to: string, changes: Json, actuals?: Json][] = [
  [
    'CONTACTED',
    { sub_state: 'in_conversation', next_action: 'Call', next_action_due: '2026-03-01' },
  ],
  ['OFFER_SENT', { sub_state: 'negotiating', offer_date: '2026-03-02', est_fee_cents: 900_000 }],
  ['DEAD', { dead_reason: 'price', next_action: null }],
  ['NEW', { sub_state: 'researching', note: 'again' }],
  ['UNDER_CONTRACT', { effective_date: '2026-03-03', option_end_date: '2026-03-10' }],
  ['TERMINATED', { note: 'left in time' }],
  [
    'UNDER_CONTRACT',
    {
      ...{ sub_state: 'option_period', exit_strategy: 'assigned', contract_price_cents: 9_900_000 },
      ...{ earnest_cents: 100_000, closing_date: '2026-04-01', title_company: 'T' },
      ...{ buyer_name: 'B', buyer_phone: '+17135550100', buyer_email: 'b@example.com' },
    },
  ],
  ['CLOSED', {}, { actual_fee_cents: 850_000, actual_profit_cents: -5 }],
];

it('a life through every stage: each event has what the Read API shows at that moment', async () => {
  const caller = await contract.newCaller();
  const { accountId } = caller;
  const { context, db } = contract.records;
  const { id: dealId } = await createDeal(context, { accountId, parcelId: TEST_PARCEL });
  const stages = new Set<string>();
  const compare = async () => {
    const { deal } = await caller.ok<{ deal: Json }>(`/v1/deals/${dealId}`);
    const event = (await dealEventsOf(db, accountId)).at(-1)!;
    const data: Json = event.data;
    expect(data['to_status']).toBe(deal['status']);
    const shared = Object.keys(data).filter((name) => name in deal);
    const only = Object.keys(data).filter((name) => !(name in deal));
    expect(only).toEqual([
      ...ONLY_IN_EVENTS,
      ...(event.type === 'deal.closed' ? ONLY_IN_CLOSED : []),
    ]);
    expect(shared).toHaveLength(21);
    for (const name of shared) expect(data[name], `${event.type} ${name}`).toEqual(deal[name]);
    stages.add(String(deal['status']));
  };
  await compare();
  for (const [to, changes, actuals = {}] of LIFE) {
    await moveDeal(context, { accountId, dealId, to, changes, actuals });
    await compare();
  }
  expect([...stages].toSorted()).toEqual(DEAL_STATUSES.toSorted());
});

it('the document names the known words, and allows others (spec §9)', () => {
  const { components, webhooks } = contract.document;
  const ofDeal = (components as { schemas: Record<string, { properties: Properties }> }).schemas[
    'Deal'
  ]?.properties;
  const { schema } = webhooks['deal.status_changed']!.post.requestBody.content['application/json'];
  const ofEvent = (schema as { properties: { data: { properties: Properties } } }).properties.data
    .properties;
  const words = {
    ...{ sub_state: 'at UNDER_CONTRACT option_period', exit_strategy: '`double_close`' },
    dead_reason: '`sold_elsewhere`',
  };
  for (const [name, word] of Object.entries({ ...words, created_via: '`manual`' })) {
    expect(ofDeal?.[name]?.description, name).toContain(word);
    expect(JSON.stringify(ofDeal?.[name]), name).not.toContain('enum');
  }
  for (const [name, word] of Object.entries({ ...words, source: '`pipeline`' })) {
    expect(JSON.stringify(ofEvent[name]), name).toContain(word);
    expect(JSON.stringify(ofEvent[name]), name).not.toContain('enum');
  }
});

type Properties = Record<string, { description?: string }>;
