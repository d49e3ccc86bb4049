import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { findFreePort, lostPort } from '../engine/free-port.ts';
import type { Logger } from '../log.ts';
import { temporalLogger } from './logger.ts';

let installed = false;

/**
 * Sets the SDK's runtime up, once in a process: its log goes through ours. With a port its metrics
 * are served there, on loopback.
 */
export function installTemporalRuntime(log: Logger, metricsPort?: number): void {
  if (installed) return;
  Runtime.install({
    logger: temporalLogger(log),
    // Signals are ours: what is running is stopped in order (src/commands/run-until-signal.ts).
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsPort !== undefined && { metrics: prometheus(metricsPort) }),
    },
  });
  installed = true;
}

/** The same with metrics, on a free port, which is answered. */
export async function installMeasuredRuntime(log: Logger): Promise<number> {
  for (;;) {
    const port = await findFreePort(undefined);
    try {
      installTemporalRuntime(log, port);
      return port;
    } catch (error) {
      if (!(await lostPort(error, [port]))) throw error;
    }
  }
}

/** Names as Prometheus wants them: `_total` for counters, and durations in `_seconds`. */
function prometheus(port: number) {
  return {
    prometheus: {
      bindAddress: `127.0.0.1:${port}`,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
    },
  };
}
