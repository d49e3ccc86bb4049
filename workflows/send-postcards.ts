import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { POSTCARD_STATE_LABELS } from '../src/domain/postcard-state.ts';
import { campaignQuery, campaignSignal } from './contract.ts';
import type { CampaignStanding, CampaignStatus } from './contract.ts';

const { campaignStanding, advanceCampaign } = proxyActivities<Activities>({
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const { submitCards } = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  // For as long as the vendor is away.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10m' },
});

/**
 * Sees a campaign of postcards through, from the vendor to the letter boxes: hands the cards over,
 * waits as long as production and delivery take, and moves the campaign on (spec §3.3). Postgres says
 * where it stands; each move is a compare-and-set on that, so whoever moves the campaign by hand is
 * followed and never undone.
 */
export async function sendPostcards(input: { campaignId: string }): Promise<CampaignStatus> {
  const { campaignId } = input;
  let moved = false;
  let status: CampaignStatus | null = null;
  setHandler(campaignSignal, () => void (moved = true), {
    description: 'The service tells that somebody moved the campaign.',
  });
  setHandler(campaignQuery, () => status, { description: 'Where it stands, and what comes next.' });

  // Told together with the start, which is no news.
  moved = false;
  let standing = await campaignStanding(input);
  for (;;) {
    status = show(standing);
    const { state, next, waitMs } = standing;
    if (next === null) return status;
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof sendPostcards>(input);
    }
    if (next === 'submit') {
      standing = await submitCards.executeWithOptions({ summary: 'hands the cards over' }, [input]);
      continue;
    }
    const summary = `until ${POSTCARD_STATE_LABELS[next].toLowerCase()}`;
    if (waitMs > 0) await condition(() => moved, waitMs, { summary });
    // What is true when the wait is over counts, not how it ended.
    if (moved) {
      moved = false;
      standing = await campaignStanding(input);
    } else {
      standing = await advanceCampaign.executeWithOptions({ summary: `to ${next}` }, [
        { campaignId, from: state },
      ]);
    }
  }

  /** Shows operators where it stands. */
  function show({ state, next, waitMs, cards, rejected }: CampaignStanding): CampaignStatus {
    const nextAt = next === null ? null : new Date(Date.now() + waitMs).toISOString();
    const refused = rejected > 0 ? `, ${rejected} of them rejected` : '';
    const then = next === null ? 'nothing more comes' : `next: ${next} at ${nextAt}`;
    setCurrentDetails(`**${state}**: ${cards} cards${refused}; ${then}`);
    return { campaignId, state, next, nextAt, cards, rejected };
  }
}
