import { requireAccount } from '../accounts/accounts.ts';
import { ORDER_SERVICES, ORDER_STATUSES } from '../domain/order-status.ts';
import { readOrders } from '../orders/read-orders.ts';
import { showOrder, type ShownOrder } from '../orders/show-order.ts';
import { UsageError, type Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { dollars } from './money.ts';
import { listing, table } from './table.ts';

export const orderList: Command = {
  name: 'order list',
  summary: 'show the 100 newest orders',
  options: {
    service: { value: 'service', help: ORDER_SERVICES.join(' or ') },
    status: { value: 'status', help: ORDER_STATUSES.join(', ') },
    ...accountOption,
  },
  run(input) {
    const service = oneOf(ORDER_SERVICES, 'service', input.options['service']);
    const status = oneOf(ORDER_STATUSES, 'status', input.options['status']);
    return withAccount(input, async (context, accountId) => {
      const { plan } = await requireAccount(context.db, accountId);
      const query = { service, status, limit: 100, offset: 0 };
      const { orders } = await readOrders(context, { accountId, plan }, query);
      const rows = orders.map((order) => [
        ...[order.created_at.slice(0, 19), order.order_id, order.batch_id, order.service],
        ...[order.status, order.parcel_id],
      ]);
      const headings = ['created', 'order', 'batch', 'service', 'status', 'parcel'];
      return { json: orders, text: table(headings, rows) };
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
      phones: contacts.phones.join(', ') || '(none)',
      callable: String(contacts.callable_phones),
      emails: contacts.emails.join(', ') || '(none)',
      'dnc screened': contacts.dnc_screened ? 'yes' : 'no',
      traced: contacts.traced_at,
    }),
    ...(postcard && {
      postcard: [postcard.state, postcard.vendor_status].filter(Boolean).join(', '),
    }),
  });
  const rows = refused.map(({ kind, index, reason }) => [kind, String(index), reason]);
  return rows.length === 0 ? head : `${head}\n\n${table(['refused', 'index', 'reason'], rows)}`;
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
