import { createApi } from '../api/app.ts';
import { serveApi } from '../api/serve.ts';
import type { CommandInput } from '../commands/command.ts';
import { DEFAULT_PORT, localUrl } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { createLog } from '../log.ts';
import { startOperations } from '../operations/start-operations.ts';
import { appUrls } from '../urls.ts';
import { createStack } from '../stack.ts';
import { requireDatabaseUrl } from './require-setting.ts';
import { NEVER, type Running } from './run-until-signal.ts';

/** Runs the HTTP server on a database of its operator's. */
export async function startApi({ config, progress }: CommandInput): Promise<Running> {
  const databaseUrl = requireDatabaseUrl(config);
  const opened = createStack();
  const log = createLog(config.logLevel);
  const database = openDatabase(databaseUrl, { max: config.databasePool, name: 'lead-events api' });
  opened.push(database.close);
  const app = createApi({
    ...{ log, db: database.db, ping: () => database.sql`select 1` },
    style: { serviceName: config.serviceName, urls: appUrls(config.publicUrl ?? localUrl(config)) },
  });
  const server = await serveApi(app, config.host, config.port ?? DEFAULT_PORT);
  opened.push(server.close);
  // Only when asked for: on one machine a worker has the default port.
  if (config.metricsPort !== undefined) {
    const { host, metricsPort: port } = config;
    const { url } = await startOperations({ host, port, databaseUrl, log }, opened);
    progress(`Metrics at ${url}/metrics`);
  }
  progress(`API at http://${config.host}:${server.port}`);
  return { stop: opened.close, failed: NEVER };
}
