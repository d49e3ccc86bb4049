import type { ApiKey } from '../api-keys/api-key.ts';
import { createKey } from '../api-keys/create-key.ts';
import { listKeys } from '../api-keys/list-keys.ts';
import { revokeKey } from '../api-keys/revoke-key.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { listing, table } from './table.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'make a key of the Read API; shows it, this once',
  options: {
    name: { value: 'text', help: 'what it is for', required: true },
    ...accountOption,
  },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const created = await createKey(context, { accountId, name: input.options['name'] ?? '' });
      return { json: created, text: `${describe(created)}\nkey   ${created.key}` };
    }),
};

export const keyList: Command = {
  name: 'key list',
  summary: "show an account's keys of the Read API",
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const keys = await listKeys(context, accountId);
      const rows = keys.map(({ id, name, hint, createdAt, lastUsedAt, revokedAt }) => [
        ...[id, name, `…${hint}`, second(createdAt)],
        ...[lastUsedAt ? second(lastUsedAt) : 'never', revokedAt ? second(revokedAt) : ''],
      ]);
      const headings = ['id', 'name', 'key', 'created', 'last used', 'revoked'];
      return { json: keys, text: table(headings, rows) };
    }),
};

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'stop a key for good; it is refused from the next request on',
  args: ['key id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const revoked = await revokeKey(context, { accountId, keyId: input.args['key id'] ?? '' });
      return { json: revoked, text: `${describe(revoked)}\nrevoked` };
    }),
};

function describe({ id, name }: ApiKey): string {
  return listing({ id, name });
}

/** A moment without its fraction, for people. */
function second(moment: string): string {
  return moment.slice(0, 19);
}
