import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { Logger } from '../log.ts';
import type { TraceChunk } from '../../workflows/contract.ts';
import { askVendor } from './ask-vendor.ts';
import { completeTraced, type CompletionContext } from './complete-skip-trace.ts';
import { noteFailure } from './note-failure.ts';
import type { SkipTraceVendor } from './vendor.ts';

/** How many orders are traced before the workflow hears of it, and how many at once. */
const CHUNK = 40;
const AT_ONCE = 8;

export interface TraceContext extends CompletionContext {
  tracer: SkipTraceVendor;
  log: Logger;
}

/** Where in which batch; `after` is the last order of the chunk before. */
export interface TraceChunkInput {
  batchId: string;
  after: string | null;
}

interface PaidOrder {
  id: string;
  accountId: string;
}

/**
 * Traces the next orders of a batch that are paid for, each in a transaction of its own. An order
 * whose vendor fails, or answers what cannot be read or brings our own code to a fall, is counted and
 * passed over: it stays PAID, and holds up no other. Only trouble with the database throws.
 * Interrupted, it goes on from what Postgres knows.
 */
export async function traceChunk(
  context: TraceContext,
  { batchId, after }: TraceChunkInput,
  signal?: AbortSignal,
): Promise<TraceChunk> {
  const chunk = await paidOrders(context.db, batchId, after);
  const waiting = [...chunk];
  const counts = { traced: 0, failed: 0 };
  const work = async (): Promise<void> => {
    for (let order = waiting.shift(); order; order = waiting.shift()) {
      signal?.throwIfAborted();
      if (await traceOne(context, order, signal)) counts.traced += 1;
      else counts.failed += 1;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  const next = chunk.length < CHUNK ? null : (chunk.at(-1)?.id ?? null);
  return { ...counts, next, ...(await batchCounts(context.db, batchId)) };
}

/** False when it failed for this order; what every order would meet throws. */
async function traceOne(
  context: TraceContext,
  { id: orderId, accountId }: PaidOrder,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const result = await askVendor(context, orderId, signal);
    await completeTraced(context, { accountId, orderId, result });
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    await noteFailure(context, orderId, error);
    return false;
  }
}

async function paidOrders(db: Db, batchId: string, after: string | null): Promise<PaidOrder[]> {
  return db
    .select({ id: orders.id, accountId: orders.accountId })
    .from(orders)
    .where(
      and(
        ofBatch(batchId),
        eq(orders.status, 'PAID'),
        after === null ? undefined : gt(orders.id, after),
      ),
    )
    .orderBy(asc(orders.id))
    .limit(CHUNK);
}

async function batchCounts(
  db: Db,
  batchId: string,
): Promise<Pick<TraceChunk, 'left' | 'fulfilled' | 'total'>> {
  const of = (status: string) =>
    sql<number>`count(*) filter (where ${orders.status} = ${status})::int`;
  const [row] = await db
    .select({ total: count(), left: of('PAID'), fulfilled: of('FULFILLED') })
    .from(orders)
    .where(ofBatch(batchId));
  return row ?? { total: 0, left: 0, fulfilled: 0 };
}

function ofBatch(batchId: string) {
  return and(eq(orders.batchId, batchId), eq(orders.service, 'SKIP_TRACE'));
}
