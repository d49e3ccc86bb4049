import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { purgeBatch } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '1m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '5m' },
});

interface PurgedBatch extends Purged {
  next: string | null;
}

/** What a purge has removed. */
export interface Purged {
  deliveries: number;
  events: number;
}

/** Removes what the delivery log need not keep any longer (spec §8), in batches. */
export async function purgeDeliveryLog(): Promise<Purged> {
  const total: Purged = { deliveries: 0, events: 0 };
  let cursor: string | null = null;
  do {
    const batch: PurgedBatch = await purgeBatch({ cursor });
    total.deliveries += batch.deliveries;
    total.events += batch.events;
    cursor = batch.next;
    setCurrentDetails(`${total.deliveries} deliveries and ${total.events} events removed`);
  } while (cursor !== null);
  return total;
}
