import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { EngineOptions } from '../../src/engine/engine-options.ts';
import { readRecord } from '../../src/engine/instance-record.ts';
import { isOurs } from '../../src/engine/orphans.ts';
import { becomesTrue } from '../../src/engine/poll-until.ts';
import { isRunning, listProcesses, processStart } from '../../src/engine/process-identity.ts';

export const silent = pino({ level: 'silent' });
export const cacheDir = readConfig(process.env).cacheDir;
/** A Temporal that nobody asks anything: for tests that are about PostgreSQL only. */
export const noTemporal = { temporalAddress: '127.0.0.1:1' };
export const isRoot = process.getuid?.() === 0;

/** A folder of its own for this test, open to every user, gone (with what runs on it) afterwards. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-events-engine-'));
  chmodSync(folder, 0o755);
  onTestFinished(async () => {
    const dataDir = join(folder, 'data');
    for (const pid of runningServers(dataDir)) process.kill(pid, 'SIGKILL');
    await becomesTrue(() => runningServers(dataDir).length === 0, 5_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return folder;
}

/** Options for an engine on a new data directory, whose progress is collected. */
export function engineOptions(
  more: Partial<EngineOptions> = {},
): EngineOptions & { messages: string[] } {
  const messages: string[] = [];
  const dataDir = join(temporaryFolder(), 'data');
  const progress = (message: string): void => void messages.push(message);
  const temporal = { headless: true };
  return { dataDir, cacheDir, progress, log: silent, temporal, messages, ...more };
}

/** The pids of the servers that run on a data directory. */
export function runningServers(dataDir: string): number[] {
  const recorded = (readRecord(dataDir)?.children ?? []).filter(isRunning).map(({ pid }) => pid);
  const found = listProcesses()
    .filter((candidate) => isOurs(candidate, dataDir))
    .map(({ pid }) => pid)
    .filter((pid) => processStart(pid) !== undefined);
  return [...new Set([...recorded, ...found])];
}

/** The pid of a server by its name, as the running instance has recorded it. */
export function serverPid(dataDir: string, name: 'PostgreSQL' | 'Temporal'): number {
  const child = readRecord(dataDir)?.children.find((candidate) => candidate.name === name);
  if (child === undefined) throw new Error(`no ${name} on record`);
  return child.pid;
}

/** Runs statements on a connection of their own and returns the last one's rows. */
export async function query(databaseUrl: string, ...statements: string[]): Promise<unknown[]> {
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 5, onnotice: () => undefined });
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = [...(await sql.unsafe(statement))];
    return rows;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A line that fixtures/engine-process.ts says. */
export interface Said {
  event: 'progress' | 'up' | 'failed' | 'stopped';
  message?: string;
  urls?: { databaseUrl: string; temporalAddress: string };
}

/** A node process of its own that runs an engine. */
export class EngineProcess {
  readonly child: ChildProcess;
  readonly said: Said[] = [];
  readonly exit: Promise<number | NodeJS.Signals | null>;
  stderr = '';

  constructor(options: Partial<EngineOptions>, prefix: readonly string[] = []) {
    const script = fileURLToPath(new URL('fixtures/engine-process.ts', import.meta.url));
    const node = [process.execPath, '--import', 'tsx', script, JSON.stringify(options)];
    const [command = '', ...args] = [...prefix, ...node];
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.said.push(JSON.parse(line) as Said);
    });
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.exit = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve(signal ?? code));
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Waits until it has said this; fails the test when it ends without. */
  async says(event: Said['event'], message?: string): Promise<Said> {
    let found: Said | undefined;
    await becomesTrue(() => {
      found = this.said.find(
        (line) => line.event === event && (line.message ?? '').includes(message ?? ''),
      );
      return found !== undefined || this.child.exitCode !== null;
    }, 60_000);
    if (found) return found;
    throw new Error(`never ${event}: ${JSON.stringify(this.said)} ${this.stderr}`);
  }
}
