import { z } from 'zod';
import { POSTCARD_STATES } from '../../domain/postcard-state.ts';
import { postcardsWorkflowId } from '../../domain/workflow-id.ts';
import { readLists } from '../../leads/read-sources.ts';
import { counted } from '../../mail/wording.ts';
import { advanceCampaign } from '../../postcards/advance-campaign.ts';
import { campaignSubject } from '../../postcards/campaign.ts';
import { createCampaign } from '../../postcards/create-campaign.ts';
import { expectOnce, followEvent, seconds } from './follow-event.ts';
import { expectSeen } from './not-seen.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const PACE = { productionMs: 2_000, deliveryMs: 3_000 };

const postcardData = z.looseObject({
  ...{ state: z.string(), state_label: z.string(), cards: z.number() },
  by_state: z.record(z.string(), z.number()),
  ...{ mailed_at: z.string().nullable(), est_delivery_date: z.string().nullable() },
});

/** What happens before each state that a campaign moves to. */
const TITLES = {
  production: 'It moves to production: the cards are handed to the (simulated) printer',
  mailed: `After ${seconds(PACE.productionMs)} in production it is mailed, by its workflow's timer`,
  delivered_est: `After ${seconds(PACE.deliveryMs)} in the post it counts as delivered`,
} as const;

/** A campaign from the list to the letter boxes. */
export const postcard: Scenario = {
  name: 'postcard',
  summary:
    'a campaign of postcards: draft, production, mailed, est. delivered; one event for each move',
  settings: { postcardPace: PACE },
  async play(stage) {
    const { context, accountId, narrator } = stage;
    const [list] = await readLists(context.db, accountId);
    expectSeen(list !== undefined, "the demo account's list.");
    narrator.step(`A campaign to the list "${list.name}" is made, at draft`);
    const name = `Hello from the demo, ${new Date().toISOString().slice(0, 16).replace('T', ' ')}`;
    const made = await createCampaign(context, { accountId, listId: list.id, name });
    const { id: campaignId } = made.campaign;
    const subject = campaignSubject(campaignId);
    narrator.fact('row', `${campaignId}: ${made.cards} cards, one order each, QUEUED`, {
      ...{ campaign_id: campaignId, cards: made.cards },
    });
    expectSeen((await stage.events(subject)).length === 0, 'no event about a draft.');
    narrator.fact('event', 'none: a draft has not moved');

    const states: string[] = [];
    for (const state of ['production', 'mailed', 'delivered_est'] as const) {
      if (state === 'production')
        await advanceCampaign(context, { accountId, campaignId, to: state });
      states.push(await followMove(stage, { campaignId, state, index: states.length }));
    }
    expectSeen(
      states.join() === POSTCARD_STATES.slice(1).join(),
      `the states in their order (they were ${states.join(', ')}).`,
    );
    return {
      text: '3 moves, 3 events, each once, every signature verified; the cards always add up',
      json: { events: 3, campaignId, cards: made.cards, states },
    };
  },
};

/** Waits for the event of a move and follows it; answers the state that the receiver was told. */
async function followMove(
  stage: Stage,
  move: { campaignId: string; state: keyof typeof TITLES; index: number },
): Promise<string> {
  const { narrator } = stage;
  const { campaignId, state, index } = move;
  const event = await stage.until(`the campaign's move to ${state}`, async () =>
    (await stage.events(campaignSubject(campaignId))).at(index),
  );
  narrator.step(TITLES[state]);
  if (state === 'production') {
    const workflowId = postcardsWorkflowId(campaignId);
    narrator.fact('campaign', stage.ui(workflowId), { workflow_id: workflowId });
  }
  const data = postcardData.parse((await followEvent(stage, event)).data);
  expectOnce(stage, event.id);
  const counts = Object.entries(data.by_state).map(([key, count]) => `${count} ${key}`);
  const sum = Object.values(data.by_state).reduce((total, count) => total + count, 0);
  expectSeen(sum === data.cards, `${data.cards} cards in by_state (there are ${sum}).`);
  narrator.fact('state', `${data.state_label}: ${data.cards} cards, ${counts.join(', ')}`, {
    ...{ state: data.state, cards: data.cards, by_state: data.by_state },
  });
  const rejected = state === 'mailed' ? (data.by_state['production'] ?? 0) : 0;
  if (rejected > 0) {
    narrator.fact(
      '',
      `${counted(rejected, 'card')} rejected by the printer: counted where it stopped`,
    );
  }
  if (data.mailed_at !== null) {
    narrator.fact('dates', `mailed ${data.mailed_at}, est. delivery ${data.est_delivery_date}`);
  }
  if (state === 'delivered_est') {
    narrator.fact('by hand', stage.cli(`postcard show ${campaignId}`));
    narrator.fact('', stage.cli('order list --service POSTCARD'));
  }
  return data.state;
}
