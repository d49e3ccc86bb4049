import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be mistaken for a later one that was given the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque; equal for the same process only. */
  startedAt: string;
}

/** One process of this machine. */
export interface RunningProcess {
  pid: number;
  /** As it was called: a name or a path. */
  program: string;
  /** Whether this text is one of the arguments it was started with. */
  hasArgument: (text: string) => boolean;
}

const hasProc = process.platform === 'linux';

/** When the process began, as an opaque text; undefined when there is no such process. */
export function processStart(pid: number): string | undefined {
  if (!hasProc) return processStartFromPs(pid);
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets, which may itself hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const boot = readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return `${boot}/${fields[19]}`;
}

/** The identity of a process that runs now; undefined when it is gone already. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = processStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether exactly this process, and not a later one with its pid, still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return processStart(identity.pid) === identity.startedAt;
}

/** Every process this user can see; those that end meanwhile are left out. */
export function listProcesses(): RunningProcess[] {
  if (!hasProc) return listProcessesFromPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const argv = (readOrUndefined(`/proc/${name}/cmdline`) ?? '').split('\0');
      const [program = '', ...args] = argv;
      return { pid: Number(name), program, hasArgument: (text) => args.includes(text) };
    });
}

function processStartFromPs(pid: number): string | undefined {
  const line = ps(['-o', 'stat=,lstart=', '-p', String(pid)]).trim();
  if (line === '' || line.startsWith('Z')) return undefined;
  return line.replace(/^\S+\s+/, '');
}

function listProcessesFromPs(): RunningProcess[] {
  const executables = new Map(psTable('comm=').map(({ pid, text }) => [pid, text]));
  return psTable('command=').map(({ pid, text }) => ({
    pid,
    program: executables.get(pid) ?? '',
    // ps does not tell where an argument ends, and a path may hold spaces.
    hasArgument: (argument) => `${text} `.includes(` ${argument} `),
  }));
}

function psTable(column: string): { pid: number; text: string }[] {
  return ps(['-axww', '-o', `pid=,${column}`])
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ pid: Number(match[1]), text: match[2] ?? '' }));
}

function ps(args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return ''; // ps exits with 1 when there is no such process
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
