import type { Db } from '../db/client.ts';
import {
  nextPostcardState,
  POSTCARD_STATES,
  type PostcardState,
} from '../domain/postcard-state.ts';
import { postcardsWorkflowId } from '../domain/workflow-id.ts';
import { badRequest, conflict } from '../errors.ts';
import { enqueue } from '../relay/enqueue.ts';
import { campaignById, requireCampaign, type Campaign, type WhichCampaign } from './campaign.ts';
import { stepCampaign, type StepContext } from './campaign-step.ts';

export interface AdvanceContext extends StepContext {
  db: Db;
}

/**
 * Moves a campaign one step forward, with its cards and one postcard.status_changed, in one
 * transaction under the lock of its row, and has its workflow started or told (spec §3.3). With `to`
 * it must be that step. A `conflict` for any other move, at the end, and for a cancelled campaign.
 */
export async function advanceCampaign(
  context: AdvanceContext,
  { to, ...which }: WhichCampaign & { to?: string | undefined },
): Promise<Campaign> {
  const wanted = to === undefined ? undefined : parseState(to);
  return context.db.transaction(async (tx) => {
    const campaign = await requireCampaign(tx, which, { lock: true });
    const { id, accountId } = campaign;
    const moved = await stepCampaign(tx, context, campaign, requireStep(campaign, wanted));
    const key = postcardsWorkflowId(id);
    await enqueue(tx, [{ key, task: 'postcards', accountId, subjectId: id }]);
    return moved;
  });
}

/**
 * The same for the workflow, by compare-and-set: nothing happens when the campaign is not at `from`
 * any more, because this has been done before, or somebody moved it by hand.
 */
export async function advanceFrom(
  context: AdvanceContext,
  { campaignId, from }: { campaignId: string; from: PostcardState },
): Promise<void> {
  await context.db.transaction(async (tx) => {
    const campaign = await campaignById(tx, campaignId, { lock: true });
    if (campaign.state !== from || campaign.cancelledAt !== null) return;
    await stepCampaign(tx, context, campaign, requireStep(campaign, undefined));
  });
}

function parseState(text: string): PostcardState {
  const state = POSTCARD_STATES.find((known) => known === text.toLowerCase());
  if (!state) throw badRequest('to', `to: must be one of ${POSTCARD_STATES.join(', ')}.`);
  return state;
}

/** The only step there is from here, which must be the wanted one. */
function requireStep(
  { state, cancelledAt }: Campaign,
  wanted: PostcardState | undefined,
): Exclude<PostcardState, 'draft'> {
  if (cancelledAt !== null) throw conflict('The campaign is cancelled.');
  const next = nextPostcardState(state);
  if (next === null) throw conflict(`The campaign is at ${state}, which is final.`);
  if (wanted !== undefined && wanted !== next) {
    throw conflict(`A campaign cannot move from ${state} to ${wanted}; it may move to ${next}.`);
  }
  return next as Exclude<PostcardState, 'draft'>;
}
