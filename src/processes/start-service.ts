import { SERVICE_ACTOR } from '../audit/audit-log.ts';
import { createApi } from '../api/app.ts';
import { serveApi } from '../api/serve.ts';
import { DEFAULT_METRICS_PORT, DEFAULT_PORT, type Config } from '../config.ts';
import { openDatabase, type Db } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { findFreePort } from '../engine/free-port.ts';
import { startEngine } from '../engine/start-engine.ts';
import { createLog } from '../log.ts';
import { startOperations } from '../operations/start-operations.ts';
import { secretKey } from '../secret-key.ts';
import { createServiceContext, type ServiceContext } from '../service-context.ts';
import { writeServiceRecord } from '../service-record.ts';
import { createStack, type Stack } from '../stack.ts';
import { bundleWorkflows } from '../temporal/bundle.ts';
import { installMeasuredRuntime } from '../temporal/runtime.ts';
import { keepDelivering } from './keep-delivering.ts';
import { untilAborted, type Running } from './run-until-signal.ts';
import { startDemoReceiver, type Demo, type DemoOptions } from './start-demo-receiver.ts';
import { appUrls } from '../urls.ts';
import { configuredMailDestination } from '../mail/mail-settings.ts';
import { startLog } from './start-log.ts';
import type { Engine } from '../engine/engine-options.ts';

export interface ServiceOptions {
  config: Config;
  /** Whether warnings go to the terminal as they are, for programs. */
  json: boolean;
  progress: (message: string) => void;
  signal: AbortSignal;
  demo: DemoOptions;
}

/** The whole service in this process, and where its parts are. */
export interface StartedService extends Running {
  engine: Engine;
  apiUrl: string;
  metricsUrl: string;
  /** The mail server, or the folder where mails land. */
  mail: string;
  /** Undefined in production, where there is none. */
  demo: Demo | undefined;
  db: Db;
  /** What verbs work with, on behalf of this actor. */
  contextFor(actor: string): ServiceContext;
}

/**
 * Brings the whole service up in order: databases, schema, HTTP server, demo receiver, worker and
 * relay. When a part fails, or the signal is aborted, whatever was started is stopped again.
 */
export async function startService(options: ServiceOptions): Promise<StartedService> {
  const opened = createStack();
  try {
    const started = await open(options, opened);
    return { ...started, stop: opened.close };
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}

async function open(options: ServiceOptions, opened: Stack): Promise<Omit<StartedService, 'stop'>> {
  const { config, json, progress, signal } = options;
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

  let devOrigins = config.devEndpointOrigins;
  const contextFor = (actor: string) =>
    createServiceContext(config, {
      ...{ db: database.db, secretKey: key, publicUrl, devOrigins, actor },
    });
  const demo = config.production
    ? undefined
    : await startDemoReceiver(config, opened, { progress, ...options.demo }, (origins) => {
        devOrigins = origins;
        return contextFor(SERVICE_ACTOR);
      });
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
    config: { ...config, publicUrl, devEndpointOrigins: demo ? devOrigins : [] },
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
  return { engine, apiUrl, metricsUrl, mail, demo, db: database.db, contextFor, failed };
}

/** A promise that only ever rejects, from outside. */
function deferredFailure(): { promise: Promise<never>; reject: (error: unknown) => void } {
  let reject = (_error: unknown): void => undefined;
  const promise = new Promise<never>((_, rejectIt) => (reject = rejectIt));
  promise.catch(() => undefined);
  return { promise, reject };
}
