import { errorMessage, unavailable } from '../errors.ts';
import type { EngineContext } from './engine-context.ts';
import { findOnPath, isExecutable } from './find-on-path.ts';
import { downloadWithSdk } from './sdk-download.ts';
import { buildWithGo, TEMPORAL_GO_MODULE } from './temporal-build.ts';
import { TEMPORAL_MINIMUM, temporalVersion } from './temporal-version.ts';
import { cachedToolPath, publishTool } from './tool-cache.ts';

/**
 * The path of a Temporal CLI that is new enough: the one on PATH, else the one in the cache, else
 * downloaded or built into the cache. Throws `unavailable`, with the reasons and what to do, when
 * it cannot be had in any way, and the signal's reason when aborted.
 */
export async function temporalExecutable(
  context: Pick<EngineContext, 'progress' | 'signal' | 'log'>,
  cacheDir: string,
): Promise<string> {
  const { progress, signal, log } = context;
  for (const path of findOnPath('temporal')) {
    const version = await temporalVersion(path, signal);
    if (version.usable) return path;
    progress(`${path} is not used: ${TEMPORAL_MINIMUM} or later is needed (${version.text}).`);
  }
  const cached = cachedToolPath(cacheDir, 'temporal');
  if (isExecutable(cached) && (await temporalVersion(cached, signal)).usable) return cached;

  const ways = [
    async (folder: string) => {
      progress('Looking for the Temporal CLI to download …');
      return await downloadWithSdk('cli', folder, signal);
    },
    async (folder: string) => await buildWithGo(folder, { signal, progress }),
  ];
  const problems: string[] = [];
  for (const way of ways) {
    try {
      await publishTool(cached, way);
      const version = await temporalVersion(cached, signal);
      if (version.usable) return cached;
      problems.push(`what was had does not work (${version.text})`);
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error }, 'no Temporal CLI this way');
      problems.push(errorMessage(error));
    }
  }
  throw unavailable(
    `The Temporal CLI cannot be had: ${problems.join('; ')}. Install it (version ` +
      `${TEMPORAL_MINIMUM} or later, https://docs.temporal.io/cli) or Go, with which it is built ` +
      `(${TEMPORAL_GO_MODULE}), or set TEMPORAL_ADDRESS to a Temporal server of your own.`,
  );
}
