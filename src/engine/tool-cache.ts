import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PREFIX = '.unfinished-';
const ABANDONED_AFTER_MS = 6 * 3_600_000;

/** The path of a tool in the cache; a cache can be shared by machines of several kinds. */
export function cachedToolPath(cacheDir: string, name: string): string {
  return join(cacheDir, `${name}-${process.platform}-${process.arch}`);
}

/**
 * Has `produce` make a file or folder below a temporary folder and then moves it to `target` in one
 * step: there is never half a tool, and several processes may do this at once, each on its own.
 */
export async function publishTool(
  target: string,
  produce: (folder: string) => Promise<string>,
): Promise<void> {
  const cacheDir = dirname(target);
  mkdirSync(cacheDir, { recursive: true });
  removeAbandoned(cacheDir);
  const folder = mkdtempSync(join(cacheDir, PREFIX));
  try {
    const made = await produce(folder);
    try {
      renameSync(made, target);
    } catch (error) {
      // A folder is not replaced: another process was faster, and made the same.
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a process that was killed has left behind. */
function removeAbandoned(cacheDir: string): void {
  for (const name of readdirSync(cacheDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(cacheDir, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changed > ABANDONED_AFTER_MS) rmSync(path, { recursive: true, force: true });
  }
}
