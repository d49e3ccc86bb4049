import type { Client } from '@temporalio/client';
import { ensureSchedule, type ScheduleOptions } from './ensure-schedule.ts';

export const RESCORE_SCHEDULE_ID = 'rescore-weekly';

/** Makes sure that all parcels are scored anew once a week (spec §3.4). */
export async function ensureRescoreSchedule(
  client: Client,
  options: ScheduleOptions,
): Promise<void> {
  await ensureSchedule(
    client,
    {
      scheduleId: RESCORE_SCHEDULE_ID,
      workflowType: 'beginRescore',
      summary: 'begins the weekly rescore',
      // UTC: Monday before work begins in the United States, when few import parcels.
      spec: { calendars: [{ dayOfWeek: 'MONDAY', hour: 7 }], jitter: '15m' },
      // A week without is a week of changes that nobody heard of.
      catchupWindow: '3d',
    },
    options,
  );
}
