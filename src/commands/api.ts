import { createApi } from '../api/app.ts';
import { serveApi } from '../api/serve.ts';
import { DEFAULT_PORT } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { createLog } from '../log.ts';
import type { Command } from './command.ts';
import { requireDatabaseUrl } from './require-setting.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { createStack } from '../stack.ts';

export const api: Command = {
  name: 'api',
  summary: 'run only the HTTP server (needs DATABASE_URL)',
  async run({ config, progress }) {
    const databaseUrl = requireDatabaseUrl(config);
    await runUntilSignal(async () => {
      const opened = createStack();
      const log = createLog(config.logLevel);
      const database = openDatabase(databaseUrl, {
        max: config.databasePool,
        name: 'lead-events api',
      });
      opened.push(database.close);
      const app = createApi({ log, ping: () => database.sql`select 1` });
      const server = await serveApi(app, config.host, config.port ?? DEFAULT_PORT);
      opened.push(server.close);
      progress(`API at http://${config.host}:${server.port}`);
      return { stop: opened.close, failed: new Promise<never>(() => undefined) };
    }, progress);
    return undefined;
  },
};
