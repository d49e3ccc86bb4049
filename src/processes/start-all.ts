import { createApi } from '../api/app.ts';
import { serveApi } from '../api/serve.ts';
import { DEFAULT_PORT, DEFAULT_RECEIVER_PORT } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { receiptLine } from '../demo/receiver/receipt-line.ts';
import { startReceiver } from '../demo/receiver/receiver.ts';
import { seedDemo } from '../demo/seed.ts';
import { findFreePort } from '../engine/free-port.ts';
import { startEngine } from '../engine/start-engine.ts';
import { keepDelivering } from './keep-delivering.ts';
import { createLog } from '../log.ts';
import { secretKey } from '../secret-key.ts';
import { createServiceContext } from '../service-context.ts';
import { writeServiceRecord } from '../service-record.ts';
import { createStack } from '../stack.ts';
import { bundleWorkflows } from '../temporal/bundle.ts';
import { installTemporalRuntime } from '../temporal/runtime.ts';
import type { CommandInput } from '../commands/command.ts';
import type { Running } from './run-until-signal.ts';
import { startLog } from './start-log.ts';
import { startScreen } from './start-screen.ts';

/** Brings everything up in order; whatever was started is stopped again when a part fails. */
export async function startAll(input: CommandInput, signal: AbortSignal): Promise<Running> {
  const { config, json, progress } = input;
  const opened = createStack();
  let fail = (_error: unknown): void => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  try {
    const log = createLog(config.logLevel, json ? undefined : await startLog(config));
    installTemporalRuntime(log);
    const key = await secretKey(config);
    const bundling = bundleWorkflows(log);
    bundling.catch(() => undefined);

    const engine = await startEngine({
      dataDir: config.dataDir,
      cacheDir: config.cacheDir,
      databaseUrl: config.databaseUrl,
      temporalAddress: config.temporalAddress,
      signal,
      progress,
      log,
      onFatal: fail,
    });
    opened.push(engine.stop);
    const { applied } = await migrateDatabase(engine.databaseUrl);
    progress(applied === 0 ? 'Schema is up to date' : `Schema: ${applied} migrations applied`);
    const database = openDatabase(engine.databaseUrl, {
      max: config.databasePool,
      name: 'lead-events',
    });
    opened.push(database.close);

    const known: { secret?: string } = {};
    const receiver = await startReceiver({
      host: '127.0.0.1',
      port: config.receiverPort ?? (await findFreePort(DEFAULT_RECEIVER_PORT)),
      secret: () => known.secret,
      onReceipt: (receipt) => input.progress(receiptLine(receipt)),
    });
    opened.push(receiver.close);

    const app = createApi({ log, ping: () => database.sql`select 1` });
    const port = config.port ?? (await findFreePort(DEFAULT_PORT));
    const api = await serveApi(app, config.host, port);
    opened.push(api.close);
    const apiUrl = `http://${config.host}:${api.port}`;
    const devOrigins = config.production ? [] : [...config.devEndpointOrigins, receiver.url];
    const context = createServiceContext(config, {
      db: database.db,
      secretKey: key,
      publicUrl: config.publicUrl ?? apiUrl,
      devOrigins,
    });
    await writeServiceRecord(config, { apiUrl, receiverUrl: receiver.url });
    const demo = config.production ? undefined : await seedDemo(context, receiver.url);
    if (demo) known.secret = demo.secret;

    const delivering = keepDelivering({
      config: { ...config, devEndpointOrigins: devOrigins },
      database,
      temporalAddress: engine.temporalAddress,
      secretKey: key,
      workflowBundle: await bundling,
      log,
    });
    opened.push(delivering.stop);
    await Promise.race([delivering.ready, failed]);
    signal.throwIfAborted();
    process.stdout.write(startScreen(json, { engine, apiUrl, receiverUrl: receiver.url, demo }));
    return { failed, stop: opened.close };
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}
