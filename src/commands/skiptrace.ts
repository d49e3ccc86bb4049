import { readFile } from 'node:fs/promises';
import { badRequest } from '../errors.ts';
import type { Order } from '../orders/order.ts';
import { skipTraceWorkflowId } from '../domain/workflow-id.ts';
import type { BatchSummary } from '../skip-trace/batch.ts';
import { cancelOrders } from '../skip-trace/cancel-orders.ts';
import { completeSimulated } from '../skip-trace/complete-simulated.ts';
import { completeSkipTrace } from '../skip-trace/complete-skip-trace.ts';
import { orderSkipTrace } from '../skip-trace/order-skip-trace.ts';
import { payOrders } from '../skip-trace/pay-orders.ts';
import { UsageError, type Answer, type Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { dollars } from './money.ts';
import { listing } from './table.ts';
import { words } from './words.ts';

export const skiptraceOrder: Command = {
  name: 'skiptrace order',
  summary: 'order skip traces of leads, one order for each (docs/orders.md)',
  options: {
    parcel: { value: 'ids', help: 'parcels, county:number, comma-separated' },
    list: { value: 'list id', help: 'the leads of this list, instead' },
    pay: { help: 'pay for them as well, so that they are traced' },
    ...accountOption,
  },
  run(input) {
    const { parcel, list, pay } = input.options;
    if ((parcel === undefined) === (list === undefined)) {
      throw new UsageError('one of --parcel and --list is needed');
    }
    return withAccount(input, async (context, accountId) => {
      const wish =
        list === undefined
          ? { accountId, parcelIds: words(parcel ?? '') }
          : { accountId, listId: list };
      return describe(await orderSkipTrace(context, wish, { pay: pay !== undefined }));
    });
  },
};

export const skiptracePay: Command = {
  name: 'skiptrace pay',
  summary: 'pay for a batch of skip traces: they are traced from now on',
  args: ['batch id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const batchId = input.args['batch id'] ?? '';
      return describe(await payOrders(context, { accountId, batchId }));
    }),
};

export const skiptraceCancel: Command = {
  name: 'skiptrace cancel',
  summary: 'cancel what of a batch is not fulfilled yet',
  args: ['batch id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const batchId = input.args['batch id'] ?? '';
      return describe(await cancelOrders(context, { accountId, batchId }));
    }),
};

export const skiptraceComplete: Command = {
  name: 'skiptrace complete',
  summary: 'complete a paid skip trace by hand (records lead.skiptrace.completed)',
  args: ['order id'],
  options: {
    result: { value: 'file', help: "a vendor's answer as JSON (docs/orders.md)" },
    simulated: { help: 'an answer that is made up, instead' },
    ...accountOption,
  },
  async run(input) {
    const { result: file, simulated } = input.options;
    if ((file === undefined) === (simulated === undefined)) {
      throw new UsageError('one of --result and --simulated is needed');
    }
    const result = file === undefined ? undefined : await readResult(file);
    return withAccount(input, async (context, accountId) => {
      const which = { accountId, orderId: input.args['order id'] ?? '' };
      const order =
        result === undefined
          ? await completeSimulated(context, which)
          : await completeSkipTrace(context, { ...which, result });
      return describeOrder(order);
    });
  },
};

/** What is wrong with it is told without repeating what is in it. */
async function readResult(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = error as { code?: unknown };
    throw badRequest('result', `result: ${UNREADABLE.get(code) ?? 'the file cannot be read'}.`);
  });
  let result: unknown;
  try {
    result = JSON.parse(text);
  } catch {
    throw badRequest('result', 'result: the file is not JSON.');
  }
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return result;
  throw badRequest('result', 'result: the file must have a JSON object in it.');
}

/** Why a file cannot be read, by the code of the system. */
const UNREADABLE: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'this is a directory and not a file'],
  ['EACCES', 'the file may not be read'],
]);

function describe(batch: BatchSummary): Answer {
  const { batchId, orders, byStatus, priceCents } = batch;
  const states = Object.entries(byStatus).map(([status, count]) => `${count} ${status}`);
  const text = listing({
    batch: batchId,
    orders: `${orders}: ${states.join(', ')}`,
    price: dollars(priceCents),
    workflow: skipTraceWorkflowId(batchId),
  });
  return { json: batch, text };
}

function describeOrder({ id, status, contacts, refusedContacts: refused }: Order): Answer {
  const phones = contacts?.phone_details.length ?? 0;
  const emails = contacts?.emails.length ?? 0;
  const counts = { phones, emails, refused: refused.length };
  const found = `${phones} phones, ${emails} emails, ${refused.length} refused`;
  return { json: { id, status, ...counts }, text: listing({ order: id, status, found }) };
}
