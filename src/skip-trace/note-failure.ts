import { and, eq, sql } from 'drizzle-orm';
import { orders } from '../../drizzle/schema.ts';
import { VendorError } from '../call-vendor.ts';
import type { Db } from '../db/client.ts';
import { isDatabaseTrouble } from '../db/postgres-errors.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';

/**
 * Notes why an order could not be traced, for those who wonder: with the order, until it is fulfilled,
 * and in the log, by ids and names of fields only, since the error's own words may repeat contacts.
 * Throws what is the database's trouble and no order's.
 */
export async function noteFailure(
  { db, log }: { db: Db; log: Logger },
  orderId: string,
  error: unknown,
): Promise<void> {
  // The workflow counts these; a vendor that is away would fill the log with the same line.
  if (error instanceof VendorError) return;
  if (isDatabaseTrouble(error)) throw error;
  if (error instanceof AppError && error.code === 'bad_request') {
    const field = error.field ?? 'input';
    log.warn({ orderId, field }, "a vendor's answer cannot be read");
    return setVendorStatus(db, orderId, `answer_unreadable: ${field}`);
  }
  log.error({ orderId, ...whereThrown(error) }, 'an order could not be traced');
  return setVendorStatus(db, orderId, 'answer_not_processed');
}

/** Only while it waits: what was fulfilled or cancelled meanwhile has no such trouble. */
async function setVendorStatus(db: Db, orderId: string, vendorStatus: string): Promise<void> {
  const waits = and(eq(orders.id, orderId), eq(orders.status, 'PAID'));
  const news = sql`${orders.vendorStatus} is distinct from ${vendorStatus}`;
  await db.update(orders).set({ vendorStatus }).where(and(waits, news));
}

/** The kind of an error and the places in the code that it came through, without what it says. */
function whereThrown(error: unknown): { error: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const frames = (error.stack ?? '').replace(error.message, '').split('\n');
  const at = frames.flatMap((line) => /^ {4}at .*$/.exec(line) ?? []).slice(0, 5);
  return { error: error.name, at: at.map((line) => line.trim()) };
}
