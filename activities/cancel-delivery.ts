import type { Db } from '../src/db/client.ts';
import { skipDelivery } from '../src/deliveries/skip-delivery.ts';

/** Records that an operator ended a delivery. */
export function createCancelDelivery({ db }: { db: Db }) {
  return ({ deliveryId }: { deliveryId: string }): Promise<void> =>
    skipDelivery(db, deliveryId, 'cancelled');
}
