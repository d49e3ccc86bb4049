import { holdLead, releaseLead } from '../leads/hold-lead.ts';
import { readHeldLeads } from '../leads/read-held-leads.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { table } from './table.ts';

/*
 * Held leads: the rescore tells their account when the score is another (spec §6.1).
 */

export const leadSave: Command = {
  name: 'lead save',
  summary: 'hold a lead, to hear when a rescore changes its score',
  args: ['parcel'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const parcelId = input.args['parcel'] ?? '';
      await holdLead(db, { accountId, parcelId, via: 'saved' });
      return { json: { parcelId, via: 'saved' }, text: `${parcelId} is saved` };
    }),
};

export const leadRelease: Command = {
  name: 'lead release',
  summary: 'save a lead no longer; one that was purchased is held for that still',
  args: ['parcel'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const parcelId = input.args['parcel'] ?? '';
      const released = await releaseLead(db, { accountId, parcelId, via: 'saved' });
      const text = released ? 'is saved no longer' : 'was not saved';
      return { json: { parcelId, released }, text: `${parcelId} ${text}` };
    }),
};

export const leadList: Command = {
  name: 'lead list',
  summary: 'show the 50 held leads with the highest scores, and in which way each is held',
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const leads = await readHeldLeads(db, accountId, { limit: 50 });
      const rows = leads.map(({ parcelId, score, via, address }) => [
        ...[parcelId, String(score), via.join(', '), address],
      ]);
      return { json: leads, text: table(['parcel', 'score', 'held via', 'address'], rows) };
    }),
};
