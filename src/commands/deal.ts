import { createDeal } from '../deals/create-deal.ts';
import { hasActuals, type Deal } from '../deals/deal-data.ts';
import {
  DEAL_ACTUAL_FIELDS,
  DEAL_CHANGE_FIELDS,
  DEAL_ORIGIN_FIELDS,
  parseDealStatus,
} from '../deals/deal-fields.ts';
import { listDeals } from '../deals/list-deals.ts';
import { moveDeal } from '../deals/move-deal.ts';
import { updateDeal } from '../deals/update-deal.ts';
import { DEAL_STATUSES } from '../domain/deal-status.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { fieldOptions, givenFields } from './deal-options.ts';
import { optionName } from './option-name.ts';
import { listing, table } from './table.ts';

const changeOptions = fieldOptions(DEAL_CHANGE_FIELDS);
const actualOptions = fieldOptions(DEAL_ACTUAL_FIELDS);

export const dealCreate: Command = {
  name: 'deal create',
  summary: 'create a deal at NEW on a parcel (records deal.status_changed)',
  options: {
    parcel: { value: 'county:number', help: 'the parcel (parcel list shows some)', required: true },
    ...accountOption,
    ...fieldOptions(DEAL_ORIGIN_FIELDS),
    ...changeOptions,
  },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const parcelId = input.options['parcel'] ?? '';
      const fields = [...DEAL_ORIGIN_FIELDS, ...DEAL_CHANGE_FIELDS];
      const changes = givenFields(input.options, fields);
      const deal = await createDeal(context, { accountId, parcelId, changes });
      return { json: deal, text: describe(deal) };
    }),
};

export const dealMove: Command = {
  name: 'deal move',
  summary: `move a deal to ${DEAL_STATUSES.slice(1).join(', ')} or back to NEW (records deal.status_changed, and deal.closed when it closes with its actuals)`,
  args: ['deal id', 'status'],
  options: { ...accountOption, ...actualOptions, ...changeOptions },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const deal = await moveDeal(context, {
        accountId,
        dealId: input.args['deal id'] ?? '',
        to: input.args['status'] ?? '',
        changes: givenFields(input.options, DEAL_CHANGE_FIELDS),
        actuals: givenFields(input.options, DEAL_ACTUAL_FIELDS),
      });
      return { json: deal, text: `${describe(deal)}${hintOfActuals(deal)}` };
    }),
};

export const dealUpdate: Command = {
  name: 'deal update',
  summary:
    'change fields of a deal where it stands; an empty text clears one (records no event; deal.closed when a closed deal gets the actuals that it does not have yet)',
  args: ['deal id'],
  options: { ...accountOption, ...actualOptions, ...changeOptions },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const deal = await updateDeal(context, {
        accountId,
        dealId: input.args['deal id'] ?? '',
        changes: givenFields(input.options, DEAL_CHANGE_FIELDS),
        actuals: givenFields(input.options, DEAL_ACTUAL_FIELDS),
      });
      return { json: deal, text: describe(deal) };
    }),
};

export const dealList: Command = {
  name: 'deal list',
  summary: 'show the 50 deals with the newest activity',
  options: { status: { value: 'status', help: 'only deals at this stage' }, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const given = input.options['status'];
      const status = given === undefined ? undefined : parseDealStatus(given);
      const deals = await listDeals(db, accountId, { status, limit: 50 });
      const rows = deals.map(({ deal, parcel }) => [deal.id, deal.status, parcel.address]);
      return {
        json: deals.map(({ deal }) => deal),
        text: table(['deal', 'status', 'address'], rows),
      };
    }),
};

function describe(deal: Deal): string {
  return listing({ deal: deal.id, status: deal.status, parcel: deal.parcelId });
}

/** Says of a deal that closed without figures how they are given. */
function hintOfActuals(deal: Deal): string {
  if (deal.status !== 'CLOSED' || hasActuals(deal)) return '';
  const options = DEAL_ACTUAL_FIELDS.map((field) => `--${optionName(field)} <cents>`).join(' ');
  return `

Without actuals deal.closed was not sent. It is when you give one or more of them, once:
deal update ${deal.id} ${options}`;
}
