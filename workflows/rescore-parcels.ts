import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { describeProgress, type RescoreProgress } from '../src/domain/rescore.ts';
import { rescoreQuery } from './contract.ts';

const { continueRescore } = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/**
 * Scores all parcels anew and records what changed for whom (spec §6.1). How far it is stands in
 * Postgres, so it may be interrupted anywhere; each turn answers with counts, for operators to see.
 */
export async function rescoreParcels(input: { runId: string }): Promise<RescoreProgress> {
  let progress: RescoreProgress | null = null;
  setHandler(rescoreQuery, () => progress, { description: 'How far it is.' });
  do {
    const summary = progress ? `from ${describeProgress(progress)} on` : 'the first parcels';
    progress = await continueRescore.executeWithOptions({ summary }, [input]);
    setCurrentDetails(`**${progress.state}**: ${describeProgress(progress)}`);
    if (progress.state === 'running' && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof rescoreParcels>(input);
    }
  } while (progress.state === 'running');
  return progress;
}
