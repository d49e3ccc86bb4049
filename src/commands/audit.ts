import { listAudit } from '../audit/audit-log.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { table } from './table.ts';

export const auditList: Command = {
  name: 'audit list',
  summary: 'show who did what to which account, endpoint or key, the last 100 entries',
  options: { of: { value: 'id', help: 'only this account, endpoint or key' }, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const entries = await listAudit(db, { accountId, subjectId: input.options['of'] });
      const rows = entries.map((entry) => [
        ...[entry.at.slice(0, 19), entry.actor, entry.action, entry.subjectId],
        Object.entries(entry.details)
          .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
          .join(' '),
      ]);
      return { json: entries, text: table(['at', 'by', 'did', 'to', 'details'], rows) };
    }),
};
