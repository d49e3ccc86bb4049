import { Worker, type NativeConnection, type WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';

/**
 * The limits of one worker. Attempts wait on sockets, not on the processor, so there are many
 * slots: a receiver that hangs holds one for ten seconds.
 */
export const WORKER_LIMITS = {
  maxConcurrentActivityTaskExecutions: 500,
  maxConcurrentLocalActivityExecutions: 200,
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentWorkflowTaskPolls: 5,
  maxConcurrentActivityTaskPolls: 5,
  maxCachedWorkflows: 1_000,
} as const;

/** Makes a worker for the delivery workflows and their activities. */
export function createWorker(options: {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  workflowBundle: WorkflowBundleOption;
  activities: Activities;
}): Promise<Worker> {
  return Worker.create({
    ...WORKER_LIMITS,
    ...options,
    // An attempt under way may finish: it takes ten seconds at the most.
    shutdownGraceTime: '15s',
    shutdownForceTime: '30s',
  });
}
