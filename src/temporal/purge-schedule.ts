import type { Client } from '@temporalio/client';
import { ensureSchedule, type ScheduleOptions } from './ensure-schedule.ts';

export const PURGE_SCHEDULE_ID = 'purge-delivery-log';

/** Makes sure that the delivery log is purged once a day (spec §8). */
export async function ensurePurgeSchedule(client: Client, options: ScheduleOptions): Promise<void> {
  await ensureSchedule(
    client,
    {
      scheduleId: PURGE_SCHEDULE_ID,
      workflowType: 'purgeDeliveryLog',
      summary: 'removes what the delivery log need not keep',
      // UTC: night in all of the United States, where the accounts are.
      spec: { calendars: [{ hour: 9 }], jitter: '30m' },
      // After an outage of a night it is made up for; after a longer one the next will do.
      catchupWindow: '1d',
    },
    options,
  );
}
