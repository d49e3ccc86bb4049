import type { Order } from '../orders/order.ts';
import { VendorError } from '../call-vendor.ts';
import { askVendor } from './ask-vendor.ts';
import { completeSkipTrace, type CompletionContext } from './complete-skip-trace.ts';
import { createSimulatedVendor } from './simulated-vendor.ts';

/** Completes an order at once, by hand, with what the simulated vendor makes up. */
export async function completeSimulated(
  context: CompletionContext,
  which: { accountId: string; orderId: string },
): Promise<Order> {
  const asked = { db: context.db, tracer: createSimulatedVendor() };
  const result = await askVendor(asked, which.orderId).catch((error: unknown) => {
    // Some parcels' first request fails.
    if (!(error instanceof VendorError)) throw error;
    return askVendor(asked, which.orderId);
  });
  return completeSkipTrace(context, { ...which, result });
}
