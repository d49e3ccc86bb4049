import { POSTCARD_STATES } from '../domain/postcard-state.ts';
import { postcardsWorkflowId } from '../domain/workflow-id.ts';
import { advanceCampaign } from '../postcards/advance-campaign.ts';
import { cancelCampaign } from '../postcards/cancel-campaign.ts';
import { createCampaign } from '../postcards/create-campaign.ts';
import {
  listCampaigns,
  showCampaign,
  type ListedCampaign,
  type ShownCampaign,
} from '../postcards/read-campaigns.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { listing, table } from './table.ts';

export const postcardCreate: Command = {
  name: 'postcard create',
  summary: "make a campaign of postcards to a list's leads, at draft (docs/orders.md)",
  options: {
    list: { value: 'list id', help: 'the leads of this list', required: true },
    name: { value: 'text', help: 'what it is called', required: true },
    ...accountOption,
  },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const { list: listId = '', name = '' } = input.options;
      const made = await createCampaign(context, { accountId, listId, name });
      const campaignId = made.campaign.id;
      const campaign = await showCampaign(context.db, { accountId, campaignId });
      const { withoutAddress } = made;
      const without =
        withoutAddress.length === 0
          ? ''
          : `\n\nNo card, for want of an address: ${withoutAddress.join(', ')}`;
      return { json: { ...campaign, withoutAddress }, text: describe(campaign) + without };
    }),
};

export const postcardAdvance: Command = {
  name: 'postcard advance',
  summary: 'move a campaign one step forward (records postcard.status_changed)',
  args: ['campaign id'],
  options: {
    to: { value: 'state', help: `the step it must be: ${POSTCARD_STATES.slice(1).join(', ')}` },
    ...accountOption,
  },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const which = { accountId, campaignId: input.args['campaign id'] ?? '' };
      await advanceCampaign(context, { ...which, to: input.options['to'] });
      const campaign = await showCampaign(context.db, which);
      return { json: campaign, text: describe(campaign) };
    }),
};

export const postcardCancel: Command = {
  name: 'postcard cancel',
  summary: 'cancel a draft and its cards, or what the vendor rejected as a whole',
  args: ['campaign id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const which = { accountId, campaignId: input.args['campaign id'] ?? '' };
      await cancelCampaign(context, which);
      const campaign = await showCampaign(context.db, which);
      return { json: campaign, text: describe(campaign) };
    }),
};

export const postcardList: Command = {
  name: 'postcard list',
  summary: 'show the 100 newest campaigns',
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const campaigns = await listCampaigns(db, accountId, 100);
      const rows = campaigns.map((campaign) => [
        ...[campaign.createdAt.slice(0, 19), campaign.id],
        ...[campaign.cancelledAt ? 'cancelled' : stateWords(campaign), campaign.name],
      ]);
      const headings = ['created', 'campaign', 'state', 'name'];
      return { json: campaigns, text: table(headings, rows) };
    }),
};

export const postcardShow: Command = {
  name: 'postcard show',
  summary: 'show a campaign, with its cards counted',
  args: ['campaign id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const campaignId = input.args['campaign id'] ?? '';
      const campaign = await showCampaign(db, { accountId, campaignId });
      return { json: campaign, text: describe(campaign) };
    }),
};

const ALL_REJECTED = 'every card was rejected';

function stateWords({ state, everyCardRejected }: ListedCampaign): string {
  return everyCardRejected ? `${state}: ${ALL_REJECTED}` : state;
}

function describe(campaign: ShownCampaign): string {
  const counted = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([word, count]) => `${count} ${word}`)
      .join(', ');
  return listing({
    ...{ campaign: campaign.id, name: campaign.name, list: campaign.listId },
    state: campaign.cancelledAt
      ? `cancelled at ${campaign.cancelledAt}${campaign.everyCardRejected ? ` (${ALL_REJECTED})` : ''}`
      : stateWords(campaign),
    cards: `${campaign.cards}: ${counted(campaign.byState)}`,
    orders: counted(campaign.byStatus),
    ...(campaign.mailedAt && { mailed: campaign.mailedAt }),
    ...(campaign.estDeliveryDate && { 'est. delivery': campaign.estDeliveryDate }),
    ...(campaign.dueAt && { 'next step': campaign.dueAt }),
    workflow: postcardsWorkflowId(campaign.id),
  });
}
