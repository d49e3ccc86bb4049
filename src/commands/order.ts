import { requireAccount } from '../accounts/accounts.ts';
import { ORDER_SERVICES, ORDER_STATUSES } from '../domain/order-status.ts';
import { MOST_ORDERS } from '../orders/order.ts';
import { readOrders } from '../orders/read-orders.ts';
import { showOrder, type ShownOrder } from '../orders/show-order.ts';
import { UsageError, type Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { dollars } from './money.ts';
import { listing, table } from './table.ts';

/** How many orders are shown at once, and how many can be passed over at most. */
const PAGE = 100;
const FURTHEST = 1_000_000_000;

export const orderList: Command = {
  name: 'order list',
  summary: 'show orders, newest first',
  options: {
    service: { value: 'service', help: ORDER_SERVICES.join(' or ') },
    status: { value: 'status', help: ORDER_STATUSES.join(', ') },
    batch: { value: 'batch id', help: 'only those of this batch' },
    campaign: { value: 'campaign id', help: "only this campaign's cards" },
    limit: { value: 'number', help: `at most so many, 1 to ${MOST_ORDERS}; ${PAGE} by default` },
    offset: { value: 'number', help: 'how many to pass over first' },
    ...accountOption,
  },
  run(input) {
    const service = oneOf(ORDER_SERVICES, 'service', input.options['service']);
    const status = oneOf(ORDER_STATUSES, 'status', input.options['status']);
    const limit = whole('limit', input.options['limit'], { least: 1, most: MOST_ORDERS }) ?? PAGE;
    const offset = whole('offset', input.options['offset'], { least: 0, most: FURTHEST }) ?? 0;
    const { batch: batchId, campaign: campaignId } = input.options;
    return withAccount(input, async (context, accountId) => {
      const { plan } = await requireAccount(context.db, accountId);
      const query = { service, status, batchId, campaignId, limit, offset };
      const { orders, total } = await readOrders(context, { accountId, plan }, query);
      const rows = orders.map((order) => [
        ...[order.created_at.slice(0, 19), order.order_id, order.batch_id, order.service],
        ...[order.status, order.parcel_id],
      ]);
      const headings = ['created', 'order', 'batch', 'service', 'status', 'parcel'];
      const next = offset + orders.length;
      const more = orders.length > 0 && next < total;
      const rest = more ? `\n\n${next} of ${total}; --offset ${next} shows what follows` : '';
      return { json: orders, text: table(headings, rows) + rest };
    });
  },
};

export const orderShow: Command = {
  name: 'order show',
  summary: 'show an order, with what was bought and what of it was refused',
  args: ['order id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const orderId = input.args['order id'] ?? '';
      const order = await showOrder(context, { accountId, orderId });
      return { json: order, text: describe(order) };
    }),
};

function describe(order: ShownOrder): string {
  const { contacts, postcard, refused } = order;
  const head = listing({
    ...{ order: order.order_id, batch: order.batch_id, service: order.service },
    ...{ status: order.status, price: dollars(order.price_cents) },
    parcel: `${order.parcel_id}  ${order.address}`,
    ...(order.list_id && { list: `${order.list_id}  ${order.list_name}` }),
    ...(order.campaign_id && { campaign: order.campaign_id }),
    created: order.created_at,
    ...(order.paid_at && { paid: order.paid_at }),
    ...(order.fulfilled_at && { fulfilled: order.fulfilled_at }),
    ...(contacts && {
      phones: contacts.phones.length === 0 ? '(none)' : String(contacts.phones.length),
      callable: String(contacts.callable_phones),
      'known litigator': order.litigator ? 'yes: not to be called' : 'no',
      emails: contacts.emails.join(', ') || '(none)',
      'dnc screened': contacts.dnc_screened ? 'yes' : 'no',
      traced: contacts.traced_at,
    }),
    ...(postcard && { postcard: postcard.state }),
    ...(order.vendor_status && { vendor: order.vendor_status }),
  });
  const phones = order.phone_details.map((phone) => [
    ...[phone.number, phone.type, phone.dnc_status, phone.carrier ?? ''],
  ]);
  const faults = refused.map(({ kind, index, reason }) => [kind, String(index), reason]);
  return [
    head,
    ...(phones.length === 0 ? [] : [table(['phone', 'type', 'dnc', 'carrier'], phones)]),
    ...(faults.length === 0 ? [] : [table(['refused', 'index', 'reason'], faults)]),
  ].join('\n\n');
}

/** A whole number that was given; a mistake is named with what is allowed. */
function whole(
  name: string,
  text: string | undefined,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}`);
}

function oneOf<T extends string>(
  words: readonly T[],
  name: string,
  text: string | undefined,
): T | undefined {
  const word = words.find((known) => known === text?.toUpperCase());
  if (text !== undefined && !word) {
    throw new UsageError(`--${name} must be one of ${words.join(', ')}`);
  }
  return word;
}
