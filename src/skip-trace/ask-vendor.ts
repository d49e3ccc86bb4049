import { eq } from 'drizzle-orm';
import { orders, parcels } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { notFound } from '../errors.ts';
import { callVendor } from '../call-vendor.ts';
import type { SkipTraceVendor } from './vendor.ts';

/** The longest that one answer may take. */
const LIMIT_MS = 30_000;

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
  return callVendor(LIMIT_MS, signal, (either) =>
    tracer.trace({ orderId, ...parcel, signal: either }),
  );
}
