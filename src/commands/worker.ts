import { openDatabase } from '../db/client.ts';
import { keepDelivering } from '../keep-delivering.ts';
import { createLog } from '../log.ts';
import { secretKey } from '../secret-key.ts';
import { createStack } from '../stack.ts';
import { bundleWorkflows } from '../temporal/bundle.ts';
import { installTemporalRuntime } from '../temporal/runtime.ts';
import type { Command } from './command.ts';
import { requireDatabaseUrl, requireTemporalAddress } from './require-setting.ts';
import { runUntilSignal } from './run-until-signal.ts';

export const worker: Command = {
  name: 'worker',
  summary: 'run only a worker with its relay (needs DATABASE_URL and TEMPORAL_ADDRESS)',
  async run({ config, progress }) {
    const databaseUrl = requireDatabaseUrl(config);
    const temporalAddress = requireTemporalAddress(config);
    const key = await secretKey(config);
    await runUntilSignal(async () => {
      const opened = createStack();
      const log = createLog(config.logLevel);
      installTemporalRuntime(log);
      const workflowBundle = await bundleWorkflows(log);
      const database = openDatabase(databaseUrl, {
        max: config.databasePool,
        name: 'lead-events worker',
      });
      opened.push(database.close);
      const delivering = keepDelivering({
        ...{ config, database, temporalAddress, secretKey: key, workflowBundle, log },
      });
      opened.push(delivering.stop);
      void delivering.ready.then(() => progress('Worker and relay are running'));
      return { stop: opened.close, failed: new Promise<never>(() => undefined) };
    }, progress);
    return undefined;
  },
};
