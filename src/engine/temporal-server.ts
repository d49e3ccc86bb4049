import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, unavailable } from '../errors.ts';
import { childEnvironment } from './child-environment.ts';
import type { EngineContext } from './engine-context.ts';
import { findFreePort, lostPort } from './free-port.ts';
import { logTail, withLogFile } from './log-file.ts';
import { SupervisedChild } from './supervised-child.ts';
import {
  temporalArguments,
  type TemporalOptions,
  type TemporalPorts,
} from './temporal-arguments.ts';
import { prepareNamespace } from './temporal-namespace.ts';

/** A running Temporal dev server of ours. */
export interface TemporalServer {
  temporalAddress: string;
  /** Null when it runs without its web interface. */
  temporalUiUrl: string | null;
  ports: TemporalPorts;
  stop: () => Promise<void>;
}

const ATTEMPTS = 4;
const READY_TIMEOUT_MS = 60_000;

/**
 * Runs `executable` as a dev server with its database in `<dataDir>/temporal`, and resolves when the
 * namespace `default` is there. Takes the preferred ports that are free. Throws `unavailable`.
 */
export async function startTemporal(
  context: EngineContext,
  executable: string,
  preferred: Partial<TemporalPorts>,
  options: TemporalOptions,
): Promise<TemporalServer> {
  const folder = join(context.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'temporal.db');
  const isOld = !options.inMemory && existsSync(file);
  context.progress('Starting Temporal …');
  let ports = await findPorts(preferred);
  for (let attempt = 1; ; attempt++) {
    const temporalPort = ports.temporal;
    const temporalAddress = `127.0.0.1:${temporalPort}`;
    const args = temporalArguments(ports, file, options);
    const env = childEnvironment({ GOGC: '400' });
    const child = new SupervisedChild(
      {
        name: 'Temporal',
        spawn: () =>
          withLogFile(context.dataDir, 'temporal', (log) =>
            spawn(executable, args, {
              cwd: folder,
              env,
              detached: true,
              stdio: ['ignore', log, log],
            }),
          ),
        ready: async (signal) => await prepareNamespace(temporalPort, signal),
        readyTimeoutMs: READY_TIMEOUT_MS,
        stopSignals: [
          ['SIGINT', 10_000],
          ['SIGTERM', 5_000],
        ],
        logTail: () => logTail(context.dataDir, 'temporal'),
      },
      context,
    );
    try {
      await child.start();
      const temporalUiUrl = options.headless ? null : `http://127.0.0.1:${ports.temporalUi}`;
      return { temporalAddress, temporalUiUrl, ports, stop: async () => await child.stop() };
    } catch (error) {
      if (context.signal.aborted) throw error;
      if (attempt === ATTEMPTS || !(await lostPort(error, Object.values(ports)))) {
        throw unavailable(`${errorMessage(error)}${isOld ? adviceOnOldData(folder) : ''}`, error);
      }
      ports = await findPorts({});
    }
  }
}

async function findPorts(preferred: Partial<TemporalPorts>): Promise<TemporalPorts> {
  const taken = new Set<number>();
  const find = async (name: keyof TemporalPorts): Promise<number> => {
    const port = await findFreePort(preferred[name], taken);
    taken.add(port);
    return port;
  };
  return {
    temporal: await find('temporal'),
    temporalUi: await find('temporalUi'),
    temporalHttp: await find('temporalHttp'),
    temporalMetrics: await find('temporalMetrics'),
  };
}

function adviceOnOldData(folder: string): string {
  return (
    ` If ${folder} is damaged or from another version of Temporal, move it away: PostgreSQL holds ` +
    'what counts, and deliveries under way are started again from there.'
  );
}
