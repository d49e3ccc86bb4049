import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { Logger } from '../log.ts';
import { temporalLogger } from './logger.ts';

let installed = false;

/** Sets the SDK's runtime up, once in a process: its log goes through ours. */
export function installTemporalRuntime(log: Logger): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: temporalLogger(log),
    // Signals are ours: what is running is stopped in order (src/commands/run-until-signal.ts).
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  });
}
