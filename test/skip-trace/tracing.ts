import { eq } from 'drizzle-orm';
import { accounts } from '../../drizzle/schema.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { showOrder } from '../../src/orders/show-order.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { orderSkipTrace } from '../../src/skip-trace/order-skip-trace.ts';
import { simulatedFate, type SimulatedFate } from '../../src/skip-trace/simulated-vendor.ts';
import { readOrders } from '../../src/orders/read-orders.ts';
import type { TestRecords } from '../support/records.ts';

/** What no history, log or error may repeat of the parcels of these tests. */
export const PRIVATE_WORDS = ['Quillfeather', 'Marrowbone Ct', 'Thistledown'];

/** A vendor's answer as raw as they come. */
export const RAW = {
  traced_at: '2026-02-03T04:05:06.000007Z',
  dnc_screened: true,
  litigator: false,
  phones: [
    { number: '(713) 555-0142', type: 'Mobile', carrier: 'Example Wireless', dnc: 'clear' },
    { number: '713.555.0177', type: 'landline', dnc: 'listed' },
  ],
  emails: [' Ada.Quillfeather@Example.com '],
};

let numbers = 0;

/** New parcels; with a fate, those of which the simulated vendor makes just that. */
export async function newParcels(
  { db }: TestRecords,
  count: number,
  fate?: SimulatedFate,
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    numbers += 1;
    const id = `cedar:${numbers}`;
    if (fate && simulatedFate(id) !== fate) continue;
    await saveParcel(db, {
      ...{ county: 'cedar', account_num: String(numbers), city: 'Millbrook', zip: '75010' },
      address: `${numbers} Marrowbone Ct, Millbrook, TX 75010`,
      owner_name: 'Ada Quillfeather',
      mailing_address: `${numbers} Thistledown Rd, Austin, TX 78701`,
      ...{ owner_occupied: false, mailing_state: 'TX', tax_delinquent_years: 2, vacant: true },
    });
    ids.push(id);
  }
  return ids;
}

/** Orders traces of these parcels and pays for them; answers the batch with its orders. */
export async function paidBatch(
  { context }: TestRecords,
  accountId: string,
  parcelIds: readonly string[],
): Promise<{ batchId: string; orderIds: string[] }> {
  const { batchId } = await orderSkipTrace(context, { accountId, parcelIds }, { pay: true });
  return { batchId, orderIds: await orderIds(context, accountId, batchId) };
}

/** The orders of a batch in the order in which they were made. */
export async function orderIds(
  context: TestRecords['context'],
  accountId: string,
  batchId: string,
): Promise<string[]> {
  const caller = { accountId, plan: 'elite' as const };
  const { orders } = await readOrders(context, caller, { limit: 5_000, offset: 0 });
  return orders
    .filter((order) => order.batch_id === batchId)
    .map((order) => order.order_id)
    .sort();
}

export async function statusOf({ context }: TestRecords, accountId: string, orderId: string) {
  return (await showOrder(context, { accountId, orderId })).status;
}

/** Puts an account on another plan. */
export async function setPlan({ db }: TestRecords, accountId: string, plan: Plan): Promise<void> {
  await db.update(accounts).set({ plan }).where(eq(accounts.id, accountId));
}
