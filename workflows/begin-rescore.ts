import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { beginRescore: begin } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** What the weekly schedule starts: begins a rescore, unless one is running already. */
export async function beginRescore(): Promise<{ runId: string; begun: boolean }> {
  // Its own, so that it begins one run however often the activity is tried.
  const requestKey = workflowInfo().firstExecutionRunId;
  const summary = 'begin the weekly rescore';
  const began = await begin.executeWithOptions({ summary }, [{ requestKey }]);
  setCurrentDetails(
    began.begun
      ? `began \`rescore:${began.runId}\``
      : `nothing begun: \`rescore:${began.runId}\` is running already`,
  );
  return began;
}
