import { eq } from 'drizzle-orm';
import { orders, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { notFound } from '../errors.ts';
import type { SkipTraceVendor } from './vendor.ts';

/** The longest that one answer may take. */
const LIMIT_MS = 30_000;

/**
 * The vendor did not answer. Its own words are not repeated: they may hold what it was asked, and
 * this text is kept in logs and histories.
 */
export class VendorError extends Error {
  override readonly name = 'VendorError';

  constructor(cause: unknown) {
    const kind = cause instanceof Error ? cause.name : 'Error';
    super(`The vendor did not answer (${/^\w{1,40}$/.test(kind) ? kind : 'Error'}).`);
  }
}

/** Asks for the contacts of an order's parcel; answers as the vendor does. */
export async function askVendor(
  { db, tracer }: { db: Db; tracer: SkipTraceVendor },
  orderId: string,
  signal?: AbortSignal,
): Promise<unknown> {
  const [parcel] = await db
    .select({
      parcelId: parcels.id,
      address: parcels.address,
      city: parcels.city,
      zip: parcels.zip,
      ownerName: parcels.ownerName,
      mailingAddress: parcels.mailingAddress,
    })
    .from(orders)
    .innerJoin(parcels, eq(parcels.id, orders.parcelId))
    .where(eq(orders.id, orderId));
  if (!parcel) throw notFound('order');
  const limit = AbortSignal.timeout(LIMIT_MS);
  const either = signal ? AbortSignal.any([signal, limit]) : limit;
  try {
    return await tracer.trace({ orderId, ...parcel, signal: either });
  } catch (error) {
    signal?.throwIfAborted();
    throw new VendorError(error);
  }
}
