import type { ListStatus } from '../domain/list-status.ts';
import { readLists } from '../leads/read-sources.ts';
import { addLeads, removeLeads } from '../lists/change-leads.ts';
import { createList } from '../lists/create-list.ts';
import { setListStatus } from '../lists/set-list-status.ts';
import type { Answer, Command, CommandInput } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { nameOption } from './source-options.ts';
import { listing, table } from './table.ts';
import { words } from './words.ts';

const parcelsOption = {
  value: 'ids',
  help: 'parcels, county:number, comma-separated',
} as const;

export const listCreate: Command = {
  name: 'list create',
  summary: 'make a list of leads',
  options: { name: nameOption, parcels: parcelsOption, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const { name = '', parcels } = input.options;
      const parcelIds = parcels === undefined ? [] : words(parcels);
      const list = await createList(db, { accountId, name, parcelIds });
      const leads = new Set(parcelIds).size;
      return {
        json: { ...list, leads },
        text: listing({ list: list.id, name: list.name, leads: String(leads) }),
      };
    }),
};

export const listAdd: Command = {
  name: 'list add',
  summary: 'put leads on a list',
  args: ['list id'],
  options: { parcels: { ...parcelsOption, required: true }, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const listId = input.args['list id'] ?? '';
      const parcelIds = words(input.options['parcels'] ?? '');
      const added = await addLeads(db, { accountId, listId, parcelIds });
      return { json: { id: listId, added }, text: `${added} added` };
    }),
};

export const listRemove: Command = {
  name: 'list remove',
  summary: 'take leads off a list',
  args: ['list id'],
  options: { parcels: { ...parcelsOption, required: true }, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const listId = input.args['list id'] ?? '';
      const parcelIds = words(input.options['parcels'] ?? '');
      const removed = await removeLeads(db, { accountId, listId, parcelIds });
      return { json: { id: listId, removed }, text: `${removed} removed` };
    }),
};

export const listArchive: Command = {
  name: 'list archive',
  summary: 'hear no more of leads of a list that become hot; it keeps them and can be read',
  args: ['list id'],
  options: accountOption,
  run: (input) => runSetStatus(input, 'archived'),
};

export const listRestore: Command = {
  name: 'list restore',
  summary: 'make an archived list active again',
  args: ['list id'],
  options: accountOption,
  run: (input) => runSetStatus(input, 'active'),
};

export const listList: Command = {
  name: 'list list',
  summary: "show an account's lists",
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const lists = await readLists(db, accountId);
      const rows = lists.map(({ id, status, leads, name }) => [id, status, String(leads), name]);
      return { json: lists, text: table(['list', 'status', 'leads', 'name'], rows) };
    }),
};

function runSetStatus(input: CommandInput, status: ListStatus): Promise<Answer> {
  return withAccount(input, async ({ db }, accountId) => {
    const listId = input.args['list id'] ?? '';
    const list = await setListStatus(db, { accountId, listId, status });
    return {
      json: list,
      text: listing({ list: list.id, name: list.name, status: list.status }),
    };
  });
}
