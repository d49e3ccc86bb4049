import type { Db } from '../db/client.ts';
import { healthWorkflowId } from '../domain/workflow-id.ts';
import { enqueue } from '../relay/enqueue.ts';

/** Has an endpoint's health workflow told how the endpoint is now; starts it if there is none. */
export async function enqueueHealth(
  db: Db,
  { accountId, endpointId }: { accountId: string; endpointId: string },
): Promise<void> {
  const key = healthWorkflowId(endpointId);
  await enqueue(db, [{ key, task: 'health', accountId, subjectId: endpointId }]);
}
