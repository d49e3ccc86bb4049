import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { POSTCARD_STATE_LABELS, POSTCARD_STATES } from '../../src/domain/postcard-state.ts';
import { ORDER_MOVES, ORDER_STATUSES } from '../../src/domain/order-status.ts';
import { PRICE_CENTS } from '../../src/domain/price.ts';
import { REFUSALS } from '../../src/orders/contacts.ts';
import { MOST_ORDERS } from '../../src/orders/order.ts';
import { REJECTIONS } from '../../src/postcards/vendor-answer.ts';
import { readContacts } from '../../src/skip-trace/read-contacts.ts';
import { parseVendorResult } from '../../src/skip-trace/vendor-result.ts';

/* What docs/orders.md says is what the code does. */
let page: string;

beforeAll(async () => {
  const text = await readFile(new URL('../../docs/orders.md', import.meta.url), 'utf8');
  page = text.replaceAll(/[ \n]+/g, ' ');
});

it('has the moves, the prices, the limit and the words of the code', () => {
  for (const status of ORDER_STATUSES) {
    const moves = ORDER_MOVES[status].map((to) => `\`${to}\``).join(', ') || 'final';
    expect(page).toContain(`| \`${status}\` | ${moves} |`);
  }
  expect(page).toContain(`a skip trace ${PRICE_CENTS.SKIP_TRACE} cents`);
  expect(page).toContain(`a postcard ${PRICE_CENTS.POSTCARD} cents`);
  expect(page).toContain(MOST_ORDERS.toLocaleString('en-US'));
  for (const word of [...REFUSALS, ...REJECTIONS]) expect(page).toContain(word);
  for (const state of POSTCARD_STATES) {
    expect(page).toContain(`| \`${state}\` | ${POSTCARD_STATE_LABELS[state]} |`);
  }
});

it("has a vendor's answer that is good as it stands", () => {
  const [, json = ''] = /```json (.*?) ```/.exec(page) ?? [];
  const { contacts, refused } = readContacts(parseVendorResult(JSON.parse(json)));
  expect(refused).toEqual([]);
  expect(contacts.phone_details).toMatchObject([{ number: '+17135550142', dnc_status: 'clear' }]);
});
