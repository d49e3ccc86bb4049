import { migrateDatabase } from '../db/migrate.ts';
import { useDatabase } from '../engine/use-database.ts';
import { createLog } from '../log.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the database schema up to date',
  async run({ config, progress }) {
    const { databaseUrl, stop } = await useDatabase({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      progress,
      log: createLog('silent'),
    });
    try {
      const { applied } = await migrateDatabase(databaseUrl);
      return { json: { applied }, text: `${applied} migrations applied` };
    } finally {
      await stop();
    }
  },
};
