import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleSpec,
} from '@temporalio/client';
import type * as workflows from '../../workflows/index.ts';
import { DEFAULT_TASK_QUEUE } from '../config.ts';

/** Something that is to happen again and again. */
export interface Recurring {
  /** Its id, unless services share a namespace. */
  scheduleId: string;
  workflowType: keyof typeof workflows;
  /** What its workflow does, in a few words for operators. */
  summary: string;
  spec: ScheduleSpec;
  /** After an outage, how old a missed run may be and is still made up for; the next one will do. */
  catchupWindow: '1d' | '3d';
}

/** Where a schedule starts its workflows, and its id when it is to have another. */
export interface ScheduleOptions {
  taskQueue: string;
  scheduleId?: string;
}

/**
 * Makes sure that a schedule is there. One that is there already is left as its operator set it:
 * another time, or paused. Workers may ask for it at once. Services that share a namespace, each on a
 * task queue of its own, have a schedule each. A run that is still going on is not started twice.
 */
export async function ensureSchedule(
  client: Client,
  { scheduleId: name, workflowType, summary, spec, catchupWindow }: Recurring,
  options: ScheduleOptions,
): Promise<void> {
  const { taskQueue } = options;
  const ownId = taskQueue === DEFAULT_TASK_QUEUE ? name : `${name}:${taskQueue}`;
  const { scheduleId = ownId } = options;
  try {
    await client.schedule.create({
      scheduleId,
      spec,
      action: {
        type: 'startWorkflow',
        workflowType,
        // Temporal appends the time of each run.
        workflowId: scheduleId,
        taskQueue,
        staticSummary: summary,
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
