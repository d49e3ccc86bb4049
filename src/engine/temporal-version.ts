import { runCommand } from './run-command.ts';

/** What is needed of a Temporal CLI: fairness, SQLite pragmas and eager starts work from here on. */
export const TEMPORAL_MINIMUM = '1.5.0';

const SERVER_MINIMUM = [1, 29];

/** Whether a file is a Temporal CLI that is new enough, and what it says about itself. */
export interface TemporalVersion {
  usable: boolean;
  /** Its version line, or why there is none. */
  text: string;
}

/** Asks the executable at `path` for its version; never throws, except when aborted. */
export async function temporalVersion(path: string, signal: AbortSignal): Promise<TemporalVersion> {
  const { code, output } = await runCommand(path, ['--version'], { timeoutMs: 10_000, signal });
  const text = output.trim().split('\n')[0] ?? '';
  if (code !== 0) return { usable: false, text: text || `exit code ${code}` };
  return { usable: isRecent(text), text };
}

function isRecent(text: string): boolean {
  const match = /version (\d+)\.(\d+)\.\d+\S* \(Server (\d+)\.(\d+)/.exec(text);
  if (!match) return false;
  const [major, minor, serverMajor, serverMinor] = match.slice(1).map(Number) as [
    ...[number, number],
    ...[number, number],
  ];
  // What `go install` builds calls itself 0.0.0-DEV; the server inside it tells its age.
  if (major === 0) return isAtLeast([serverMajor, serverMinor], SERVER_MINIMUM);
  return isAtLeast([major, minor], TEMPORAL_MINIMUM.split('.').map(Number));
}

function isAtLeast(found: readonly number[], wanted: readonly number[]): boolean {
  const [major = 0, minor = 0] = found;
  const [wantedMajor = 0, wantedMinor = 0] = wanted;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
