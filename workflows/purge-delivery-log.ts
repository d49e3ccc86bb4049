import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
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

/** Where a purge stands that goes on in a new history. */
export interface PurgeState {
  cursor: string | null;
  removed: Purged;
}

/** Removes what the delivery log need not keep any longer (spec §8), in batches. */
export async function purgeDeliveryLog(state?: PurgeState): Promise<Purged> {
  const total: Purged = { deliveries: 0, events: 0, ...state?.removed };
  let cursor: string | null = state?.cursor ?? null;
  do {
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof purgeDeliveryLog>({ cursor, removed: total });
    }
    const batch: PurgedBatch = await purgeBatch({ cursor });
    total.deliveries += batch.deliveries;
    total.events += batch.events;
    cursor = batch.next;
    setCurrentDetails(`${total.deliveries} deliveries and ${total.events} events removed`);
  } while (cursor !== null);
  return total;
}
