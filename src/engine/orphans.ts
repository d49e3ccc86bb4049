import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unavailable } from '../errors.ts';
import type { EngineLog } from './engine-context.ts';
import type { InstanceRecord } from './instance-record.ts';
import { becomesTrue } from './poll-until.ts';
import {
  identify,
  isRunning,
  listProcesses,
  processStart,
  type ProcessIdentity,
  type RunningProcess,
} from './process-identity.ts';

// In the cache, `temporal` is followed by the kind of machine.
const PROGRAM = /^(postgres|initdb|setpriv|temporal[\w-]*)$/;
const GRACE_MS = 20_000;
const KILL_MS = 5_000;

/**
 * Ends the servers that an instance which was killed has left running on this data directory, and
 * removes a PostgreSQL lock file whose process is another by now. Only what is proven ours is
 * touched: same pid and start time as recorded, or one of our programs with this data directory on
 * its command line. The caller must hold the data directory. Throws `unavailable` when one does not
 * end.
 */
export async function endOrphans(
  dataDir: string,
  previous: InstanceRecord | undefined,
  log: EngineLog,
): Promise<void> {
  const recorded = (previous?.children ?? []).filter(isRunning);
  const found = listProcesses()
    .filter((candidate) => isOurs(candidate, dataDir))
    .map(({ pid }) => identify(pid))
    .filter((identity) => identity !== undefined);
  const orphans = new Map([...recorded, ...found].map((orphan) => [orphan.pid, orphan]));
  await Promise.all([...orphans.values()].map(async (orphan) => await end(orphan, log)));
  removeStalePostmasterFile(dataDir);
}

/** Whether a process is a server of this data directory, whoever started it. */
export function isOurs(candidate: RunningProcess, dataDir: string): boolean {
  const paths = [
    join(dataDir, 'pg'),
    join(dataDir, 'pg.init'),
    join(dataDir, 'temporal', 'temporal.db'),
  ];
  return (
    PROGRAM.test(basename(candidate.program)) && paths.some((path) => candidate.hasArgument(path))
  );
}

async function end(orphan: ProcessIdentity, log: EngineLog): Promise<void> {
  log.warn({ pid: orphan.pid }, 'ending a server that an earlier run left behind');
  const gone = (): boolean => !isRunning(orphan);
  for (const [signal, limitMs] of [
    ['SIGINT', GRACE_MS],
    ['SIGKILL', KILL_MS],
  ] as const) {
    try {
      process.kill(orphan.pid, signal);
    } catch (error) {
      if (!gone()) {
        throw unavailable(
          `Process ${orphan.pid}, left by an earlier run, belongs to another user. End it first.`,
          error,
        );
      }
    }
    if (await becomesTrue(gone, limitMs)) return;
  }
  throw unavailable(`Process ${orphan.pid}, left by an earlier run, does not end.`);
}

/**
 * PostgreSQL itself replaces the lock file of a dead process, but not one whose pid was given to
 * another process meanwhile, which is common after the restart of a container.
 */
function removeStalePostmasterFile(dataDir: string): void {
  const path = join(dataDir, 'pg', 'postmaster.pid');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  // Ours has just been ended, so whatever has this pid now is somebody else's.
  if (processStart(Number.parseInt(text, 10)) !== undefined) rmSync(path);
}
