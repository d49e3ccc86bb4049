import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { progressQuery, type ReplayProgress } from './contract.ts';

const { continueReplay } = proxyActivities<Activities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/**
 * Makes a replay's redeliveries one after another, in the order in which the events happened. How
 * far it is stands in Postgres, so it may be interrupted anywhere.
 */
export async function replayDeliveries(input: { replayId: string }): Promise<ReplayProgress> {
  let progress: ReplayProgress | null = null;
  setHandler(progressQuery, () => progress, { description: 'How far it is.' });
  do {
    progress = await continueReplay(input);
    setCurrentDetails(`**${progress.state}**: ${progress.made} of ${progress.total} sent again`);
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof replayDeliveries>(input);
    }
  } while (progress.state === 'running');
  return progress;
}
