import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs';
import { errorMessage, unavailable } from '../errors.ts';
import type { EngineContext } from './engine-context.ts';
import type { InstanceOptions } from './engine-options.ts';
import { acquireInstance, type Instance } from './instance.ts';
import type { InstanceRecord } from './instance-record.ts';
import { endOrphans } from './orphans.ts';

/** A data directory that is ours until `instance.release()`, with nothing running on it. */
export interface OpenInstance {
  instance: Instance;
  context: EngineContext;
}

/**
 * Takes hold of a data directory, creating it if need be, and ends what an earlier instance may have
 * left running. Throws `conflict` when a service holds it, `unavailable` when it cannot be used, and
 * the signal's reason when aborted.
 */
export async function openInstance(
  options: InstanceOptions,
  purpose: InstanceRecord['purpose'],
): Promise<OpenInstance> {
  const { progress, log } = options;
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const dataDir = prepareDataDir(options.dataDir);
  const instance = await acquireInstance(dataDir, purpose, { signal, progress, log });
  try {
    await endOrphans(dataDir, instance.previous, log);
    instance.update({ children: [] });
  } catch (error) {
    // The record keeps naming the orphans, for the next try.
    instance.update({ state: 'stopped' });
    throw error;
  }
  const context: EngineContext = {
    ...{ dataDir, signal, progress, log },
    onFatal: options.onFatal ?? ((error) => log.error({ err: error }, error.message)),
    onSpawn: (name, pid) => instance.addChild(name, pid),
  };
  return { instance, context };
}

function prepareDataDir(path: string): string {
  // As root, PostgreSQL's unprivileged user must get through; each thing inside is closed itself.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    mkdirSync(path, { recursive: true, mode });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    throw unavailable(
      `The data directory ${path} cannot be used (${errorMessage(error)}). Choose another DATA_DIR.`,
      error,
    );
  }
}
