import { join } from 'node:path';
import { unavailable } from '../errors.ts';
import { findOnPath } from './find-on-path.ts';
import { runCommand } from './run-command.ts';

/** The newest Temporal CLI that `go install` can build. */
export const TEMPORAL_GO_MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

const REPORT_EVERY_MS = 10_000;

/**
 * Builds the Temporal CLI with Go in an empty folder; the path of the executable. Takes minutes, and
 * says every 10 s how far it is. Throws `unavailable` when there is no Go or the build fails, and
 * the signal's reason when aborted.
 */
export async function buildWithGo(
  folder: string,
  options: { signal: AbortSignal; progress: (message: string) => void },
): Promise<string> {
  const [go] = findOnPath('go');
  if (go === undefined) throw unavailable('Go is not installed');
  const { signal, progress } = options;
  progress(
    `Building the Temporal CLI with Go (go install ${TEMPORAL_GO_MODULE}). ` +
      'This takes some minutes, once: afterwards it is kept for every start to come.',
  );
  const began = Date.now();
  let step = 'downloading what it consists of';
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000);
    progress(`Building the Temporal CLI: ${seconds} s (${step}) …`);
  }, REPORT_EVERY_MS);
  try {
    const result = await runCommand(go, ['install', '-v', TEMPORAL_GO_MODULE], {
      cwd: folder,
      env: { ...process.env, GOBIN: folder },
      signal,
      onLine: (line) => {
        step = line.replace(/^go: /, '').trim() || step;
      },
    });
    if (result.code !== 0) {
      throw unavailable(
        `go install failed: ${result.output.trim().split('\n').slice(-3).join(' ')}`,
      );
    }
    return join(folder, 'temporal');
  } finally {
    clearInterval(timer);
  }
}
