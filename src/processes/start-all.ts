import { SERVICE_ACTOR } from '../audit/audit-log.ts';
import { createApi } from '../api/app.ts';
import { serveApi } from '../api/serve.ts';
import type { CommandInput } from '../commands/command.ts';
import { DEFAULT_METRICS_PORT, DEFAULT_PORT } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { findFreePort } from '../engine/free-port.ts';
import { startEngine } from '../engine/start-engine.ts';
import { createLog } from '../log.ts';
import { startOperations } from '../operations/start-operations.ts';
import { secretKey } from '../secret-key.ts';
import { createServiceContext } from '../service-context.ts';
import { writeServiceRecord } from '../service-record.ts';
import { createStack, type Stack } from '../stack.ts';
import { bundleWorkflows } from '../temporal/bundle.ts';
import { installMeasuredRuntime } from '../temporal/runtime.ts';
import { keepDelivering } from './keep-delivering.ts';
import { untilAborted, type Running } from './run-until-signal.ts';
import { startDemoReceiver } from './start-demo-receiver.ts';
import { appUrls } from '../urls.ts';
import { configuredMailDestination } from '../mail/mail-settings.ts';
import { startLog } from './start-log.ts';
import { startScreen } from './start-screen.ts';

/** Brings everything up in order; whatever was started is stopped again when a part fails. */
export async function startAll(input: CommandInput, signal: AbortSignal): Promise<Running> {
  const opened = createStack();
  try {
    const { failed } = await open(input, signal, opened);
    return { failed, stop: opened.close };
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}

async function open(
  { config, json, progress }: CommandInput,
  signal: AbortSignal,
  opened: Stack,
): Promise<Pick<Running, 'failed'>> {
  const log = createLog(config.logLevel, await startLog(config, json));
  const key = await secretKey(config);
  const { promise: failed, reject: fail } = deferredFailure();
  const bundling = bundleWorkflows(log);
  bundling.catch(() => undefined);

  const { dataDir, cacheDir, databaseUrl, temporalAddress } = config;
  const engine = await startEngine({
    ...{ dataDir, cacheDir, databaseUrl, temporalAddress },
    ...{ signal, progress, log, onFatal: fail },
  });
  opened.push(engine.stop);
  const { applied } = await migrateDatabase(engine.databaseUrl);
  progress(applied === 0 ? 'Schema is up to date' : `Schema: ${applied} migrations applied`);
  const pool = { max: config.databasePool, name: 'lead-events' };
  const database = openDatabase(engine.databaseUrl, pool);
  opened.push(database.close);

  // Known before it listens, because answers link to it; 0 takes a free one.
  const port = config.port || (await findFreePort(DEFAULT_PORT));
  const apiUrl = `http://${config.host}:${port}`;
  const publicUrl = config.publicUrl ?? apiUrl;
  const app = createApi({
    ...{ log, db: database.db, ping: () => database.sql`select 1` },
    style: { serviceName: config.serviceName, urls: appUrls(publicUrl) },
  });
  const server = await serveApi(app, config.host, port);
  opened.push(server.close);

  const demo = config.production
    ? undefined
    : await startDemoReceiver(config, opened, progress, (devOrigins) =>
        createServiceContext(config, {
          ...{ db: database.db, secretKey: key, publicUrl, devOrigins },
          actor: SERVICE_ACTOR,
        }),
      );
  await writeServiceRecord(config, { apiUrl, receiverUrl: demo?.receiverUrl ?? null });

  // Only now: from here on the SDK's runtime keeps the process alive.
  const sdkPort = await installMeasuredRuntime(log);
  const operations = await startOperations(
    {
      ...{ host: config.host, databaseUrl: engine.databaseUrl, log, sdkPort },
      port: config.metricsPort ?? (await findFreePort(DEFAULT_METRICS_PORT)),
    },
    opened,
  );
  const metricsUrl = `${operations.url}/metrics`;
  const delivering = keepDelivering({
    config: { ...config, publicUrl, devEndpointOrigins: demo?.devOrigins ?? [] },
    database,
    temporalAddress: engine.temporalAddress,
    secretKey: key,
    workflowBundle: await bundling,
    log,
    observe: operations.observe,
  });
  operations.watch(delivering);
  opened.push(delivering.stop);
  await Promise.race([delivering.ready, failed, untilAborted(signal)]);
  signal.throwIfAborted();
  const mail = configuredMailDestination(config);
  process.stdout.write(startScreen(json, { engine, apiUrl, metricsUrl, mail, demo }));
  return { failed };
}

/** A promise that only ever rejects, from outside. */
function deferredFailure(): { promise: Promise<never>; reject: (error: unknown) => void } {
  let reject = (_error: unknown): void => undefined;
  const promise = new Promise<never>((_, rejectIt) => (reject = rejectIt));
  promise.catch(() => undefined);
  return { promise, reject };
}
