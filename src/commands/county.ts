import { readWatchedCounties, unwatchCounty, watchCounty } from '../leads/watch-county.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { table } from './table.ts';

/*
 * Watched counties: the rescore tells of leads in them that become hot (spec §6.1).
 */

export const countyWatch: Command = {
  name: 'county watch',
  summary: 'hear of leads of a county that a rescore makes hot',
  args: ['county'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const county = input.args['county'] ?? '';
      await watchCounty(db, { accountId, county });
      return { json: { county, watched: true }, text: `${county} is watched` };
    }),
};

export const countyUnwatch: Command = {
  name: 'county unwatch',
  summary: 'watch a county no longer',
  args: ['county'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const county = input.args['county'] ?? '';
      const unwatched = await unwatchCounty(db, { accountId, county });
      const text = unwatched ? 'is watched no longer' : 'was not watched';
      return { json: { county, unwatched }, text: `${county} ${text}` };
    }),
};

export const countyList: Command = {
  name: 'county list',
  summary: 'show the watched counties',
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const counties = await readWatchedCounties(db, accountId);
      const rows = counties.map((county) => [county]);
      return { json: counties.map((county) => ({ county })), text: table(['county'], rows) };
    }),
};
