import { and, eq, isNull, sql } from 'drizzle-orm';
import { deliveries } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { SkipReason } from '../domain/delivery.ts';

/** Ends a delivery unsent, with the reason; one that is finished already stays as it is. */
export async function skipDelivery(db: Db, deliveryId: string, reason: SkipReason): Promise<void> {
  await db
    .update(deliveries)
    .set({
      state: 'skipped',
      skipReason: reason,
      nextAttemptAt: null,
      expectedAt: null,
      finishedAt: sql`now()`,
    })
    .where(and(eq(deliveries.id, deliveryId), isNull(deliveries.finishedAt)));
}
