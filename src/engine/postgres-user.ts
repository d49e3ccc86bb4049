import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '../errors.ts';
import { childEnvironment } from './child-environment.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { runCommand } from './run-command.ts';

/**
 * How to run PostgreSQL's programs, which refuse to run as root: as ourselves, as another user, or
 * as another user that keeps one capability to pass folders closed to it.
 */
export interface RunAs {
  uid?: number;
  gid?: number;
  capability?: (typeof CAPABILITIES)[number]['name'];
  /**
   * Whether access(2) heeds the capability as well: PostgreSQL's programs find each other by it, and
   * by default it asks as if a user other than root had none.
   */
  accessHeedsIt?: boolean;
}

// Ordered by how little they allow. The second is needed when the programs themselves are closed
// to others: reading past permissions does not include executing.
const CAPABILITIES = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
] as const;

/** What {@link commandAs} says about the process besides its command line. */
export interface SpawnOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

/** The command line that runs `program` as `runAs` says, and spawn's options for it. */
export function commandAs(
  runAs: RunAs,
  program: string,
  args: readonly string[],
): { command: string; args: string[]; options: SpawnOptions } {
  const { uid, gid, capability, accessHeedsIt } = runAs;
  const options = { cwd: '/', env: childEnvironment({ LC_ALL: 'C' }) };
  if (capability === undefined) {
    const user = { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
    return { command: program, args: [...args], options: { ...options, ...user } };
  }
  const switches = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  // With this bit the change of user would keep every capability, were it not for the exec after
  // it, which leaves the ambient one.
  if (accessHeedsIt) switches.push('--securebits=+no_setuid_fixup');
  const keeps = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`];
  return {
    command: 'setpriv',
    args: [...switches, ...keeps, '--', program, ...args],
    options,
  };
}

/**
 * Decides as whom PostgreSQL runs on this data directory, trying it out: ourselves, or, when we are
 * root, the owner of the existing cluster, else `postgres`, else `nobody`.
 * Throws `unavailable` when that user cannot reach the programs or the data whatever is tried.
 */
export async function postgresUser(dataDir: string, programs: PostgresBinaries): Promise<RunAs> {
  const owner = statSync(join(dataDir, 'pg'), { throwIfNoEntry: false });
  if (process.getuid?.() !== 0) {
    if (owner !== undefined && owner.uid !== process.getuid?.()) {
      throw unavailable(
        `${join(dataDir, 'pg')} belongs to another user (uid ${owner.uid}): ` +
          'run as that user or as root, or choose another DATA_DIR.',
      );
    }
    return {};
  }
  const user =
    owner !== undefined && owner.uid !== 0
      ? { uid: owner.uid, gid: owner.gid }
      : ((await lookUp('postgres')) ?? (await lookUp('nobody')));
  if (user === undefined) {
    throw unavailable(
      'PostgreSQL does not run as root, and there is no user postgres or nobody to run it as. ' +
        'Start as an ordinary user, or set DATABASE_URL.',
    );
  }
  let problem = '';
  for (const runAs of [user, ...allowedCapabilities().map((name) => ({ ...user, ...name }))]) {
    const found = await obstacle(runAs, dataDir, programs);
    if (found === undefined) return runAs;
    problem ||= found;
  }
  throw unavailable(
    `PostgreSQL does not run as root, and as user ${user.uid} it cannot reach ` +
      `${programs.folder} or ${dataDir} (${problem}). ` +
      'Put the program and DATA_DIR where other users can go (not below a directory like /root), ' +
      'start as an ordinary user, or set DATABASE_URL.',
  );
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | undefined> {
  const uid = await runCommand('id', ['-u', name]);
  const gid = await runCommand('id', ['-g', name]);
  if (uid.code !== 0 || gid.code !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

function allowedCapabilities(): Pick<RunAs, 'capability' | 'accessHeedsIt'>[] {
  if (!existsSync('/proc/self/status')) return [];
  const line = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  const bounding = BigInt(`0x${line?.[1] ?? '0'}`);
  return CAPABILITIES.filter(({ bit }) => (bounding >> bit) & 1n).flatMap(({ name }) => [
    { capability: name },
    { capability: name, accessHeedsIt: true },
  ]);
}

/** What keeps this user from running the programs and writing below dataDir; undefined: nothing. */
async function obstacle(
  runAs: RunAs,
  dataDir: string,
  programs: PostgresBinaries,
): Promise<string | undefined> {
  const folder = join(dataDir, 'pg.probe');
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, runAs.uid ?? 0, runAs.gid ?? 0);
    // initdb --show looks for its companions and ends.
    const script = '"$1" --version && "$2" --show -D "$3/none" && echo > "$3/written"';
    const names = ['sh', programs.postgres, programs.initdb, folder];
    const { command, args, options } = commandAs(runAs, '/bin/sh', ['-c', script, ...names]);
    const result = await runCommand(command, args, { ...options, timeoutMs: 10_000 });
    if (result.code === 0) return undefined;
    return result.output.trim().split('\n').at(-1) || `exit code ${result.code}`;
  } catch (error) {
    return String(error); // the system refuses to change the user or the folder's owner at all
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
