import { createDeal } from '../deals/create-deal.ts';
import type { Deal } from '../deals/deal-data.ts';
import { DEAL_ACTUAL_FIELDS, DEAL_CHANGE_FIELDS } from '../deals/deal-fields.ts';
import { listDeals } from '../deals/list-deals.ts';
import { moveDeal } from '../deals/move-deal.ts';
import { DEAL_STATUSES } from '../domain/deal-status.ts';
import type { Command, OptionSpec } from './command.ts';
import { accountOption, withAccount } from './context.ts';
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
    ...changeOptions,
  },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const parcelId = input.options['parcel'] ?? '';
      const changes = fields(input.options, DEAL_CHANGE_FIELDS);
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
        changes: fields(input.options, DEAL_CHANGE_FIELDS),
        actuals: fields(input.options, DEAL_ACTUAL_FIELDS),
      });
      return { json: deal, text: describe(deal) };
    }),
};

export const dealList: Command = {
  name: 'deal list',
  summary: 'show the 50 deals with the newest activity',
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const deals = await listDeals(db, accountId, 50);
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

function fieldOptions(names: readonly string[]): Record<string, OptionSpec> {
  return Object.fromEntries(
    names.map((name) => {
      const value = name.endsWith('_cents')
        ? 'cents'
        : /date$|due$/.test(name)
          ? 'YYYY-MM-DD'
          : 'text';
      return [optionName(name), { value, help: name.replaceAll('_', ' ') }];
    }),
  );
}

/** The given options as fields; an empty text clears its field. */
function fields(
  options: Record<string, string>,
  names: readonly string[],
): Record<string, unknown> {
  const given = names.filter((name) => options[optionName(name)] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[optionName(name)] || null]));
}
