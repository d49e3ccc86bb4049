import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE } from '../config.ts';
import type { purgeDeliveryLog } from '../../workflows/index.ts';

export const PURGE_SCHEDULE_ID = 'purge-delivery-log';

/**
 * Makes sure that the delivery log is purged once a day (spec §8). A schedule that is there already
 * is left as its operator set it: another time, or paused. Workers may ask for it at once. Services
 * that share a namespace, each on a task queue of its own, have a schedule each.
 */
export async function ensurePurgeSchedule(
  client: Client,
  options: { taskQueue: string; scheduleId?: string },
): Promise<void> {
  const { taskQueue } = options;
  const ownId =
    taskQueue === DEFAULT_TASK_QUEUE ? PURGE_SCHEDULE_ID : `${PURGE_SCHEDULE_ID}:${taskQueue}`;
  const { scheduleId = ownId } = options;
  try {
    await client.schedule.create<typeof purgeDeliveryLog>({
      scheduleId,
      spec: {
        // UTC: night in all of the United States, where the accounts are.
        calendars: [{ hour: 9 }],
        jitter: '30m',
      },
      action: {
        type: 'startWorkflow',
        workflowType: 'purgeDeliveryLog',
        // Temporal appends the time of each run.
        workflowId: scheduleId,
        taskQueue,
        staticSummary: 'removes what the delivery log need not keep',
      },
      policies: {
        overlap: ScheduleOverlapPolicy.SKIP,
        // After an outage of a night it is made up for; after a longer one the next will do.
        catchupWindow: '1d',
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
