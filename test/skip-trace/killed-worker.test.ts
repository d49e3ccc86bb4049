import { eq, count, and, inArray } from 'drizzle-orm';
import { afterEach, expect, inject, it } from 'vitest';
import { orders } from '../../drizzle/schema.ts';
import { endProcesses } from '../deployment/service-process.ts';
import { createWorld, WORKERS, type World } from '../soak/world.ts';
import { eventsOf } from '../support/event-log.ts';
import { seededRandom } from '../support/random.ts';
import { newParcels, paidBatch } from './tracing.ts';

/* Workers as processes of their own are killed in the middle of a batch. */

const ORDERS = 400;
const KILLS = 3;

let world: World | undefined;

afterEach(async () => {
  await world?.close();
  await endProcesses();
}, 60_000);

it('killed in mid-batch: every order is fulfilled, and has exactly one event', async () => {
  const random = seededRandom();
  world = await createWorld(inject('cacheDir'), {});
  const { records } = world;
  const { id: accountId } = await records.newAccount();
  const parcels = await newParcels(records, ORDERS);
  const { batchId, orderIds } = await paidBatch(records, accountId, parcels);
  const done = async (): Promise<number> => {
    const [row] = await records.db
      .select({ count: count() })
      .from(orders)
      .where(and(eq(orders.batchId, batchId), inArray(orders.status, ['FULFILLED'])));
    return row?.count ?? 0;
  };
  const killedAt: number[] = [];
  for (let i = 1; i <= KILLS; i += 1) {
    const from = Math.floor((i * ORDERS) / (KILLS + 2));
    await expect.poll(done, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(from);
    killedAt.push(await done());
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => world!.killWorker(worker)));
  }
  console.log(`  killed at ${killedAt.join(', ')} of ${ORDERS} (${random.description})`);
  expect(killedAt.some((at) => at < ORDERS)).toBe(true);
  await expect.poll(done, { timeout: 120_000, interval: 100 }).toBe(ORDERS);
  const events = await eventsOf(records, accountId, 'lead.skiptrace.completed');
  expect(events.map(({ data }) => data.order_id).sort()).toEqual(orderIds);
}, 240_000);
