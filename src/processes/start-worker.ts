import type { CommandInput } from '../commands/command.ts';
import { DEFAULT_METRICS_PORT } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { createLog } from '../log.ts';
import { startOperations } from '../operations/start-operations.ts';
import { secretKey } from '../secret-key.ts';
import { createStack } from '../stack.ts';
import { bundleWorkflows } from '../temporal/bundle.ts';
import { installMeasuredRuntime } from '../temporal/runtime.ts';
import { keepDelivering } from './keep-delivering.ts';
import { requireDatabaseUrl, requireTemporalAddress } from './require-setting.ts';
import { NEVER, type Running } from './run-until-signal.ts';

/** Runs a worker with its relay on a database and a Temporal of its operator's. */
export async function startWorker({ config, progress }: CommandInput): Promise<Running> {
  const databaseUrl = requireDatabaseUrl(config);
  const temporalAddress = requireTemporalAddress(config);
  const key = await secretKey(config);
  const opened = createStack();
  const log = createLog(config.logLevel);
  const sdkPort = await installMeasuredRuntime(log);
  const port = config.metricsPort ?? DEFAULT_METRICS_PORT;
  const operations = await startOperations(
    { host: config.host, port, databaseUrl, log, sdkPort },
    opened,
  );
  progress(`Metrics at ${operations.url}/metrics`);
  const workflowBundle = await bundleWorkflows(log);
  const name = 'lead-events worker';
  const database = openDatabase(databaseUrl, { max: config.databasePool, name });
  opened.push(database.close);
  const delivering = keepDelivering({
    ...{ config, database, temporalAddress, secretKey: key, workflowBundle, log },
    observe: operations.observe,
  });
  operations.watch(delivering);
  opened.push(delivering.stop);
  void delivering.ready.then(() => progress('Worker and relay are running'));
  return { stop: opened.close, failed: NEVER };
}
