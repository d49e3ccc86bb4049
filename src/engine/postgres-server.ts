import { spawn } from 'node:child_process';
import { join } from 'node:path';
import postgres from 'postgres';
import type { EngineContext } from './engine-context.ts';
import { findFreePort, lostPort } from './free-port.ts';
import { logTail, withLogFile } from './log-file.ts';
import { pollUntil } from './poll-until.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, POSTGRES_NAME } from './postgres-init.ts';
import { commandAs, postgresUser } from './postgres-user.ts';
import { SupervisedChild } from './supervised-child.ts';

/** A running PostgreSQL of ours. */
export interface PostgresServer {
  databaseUrl: string;
  port: number;
  stop: () => Promise<void>;
}

const ATTEMPTS = 4;
const READY_TIMEOUT_MS = 120_000; // recovery after a crash replays its log first

/**
 * Starts PostgreSQL on `<dataDir>/pg`, creating it on the first start, and resolves when it answers
 * queries. Takes `preferredPort` if that is free. Throws `unavailable` saying what stands in the way.
 */
export async function startPostgres(
  context: EngineContext,
  preferredPort: number | undefined,
): Promise<PostgresServer> {
  const programs = await postgresBinaries();
  const runAs = await postgresUser(context.dataDir, programs);
  const password = await ensureCluster(context, programs, runAs);
  context.progress('Starting PostgreSQL …');
  let port = await findFreePort(preferredPort);
  for (let attempt = 1; ; attempt++) {
    const databaseUrl = `postgres://${POSTGRES_NAME}:${password}@127.0.0.1:${port}/${POSTGRES_NAME}`;
    const { command, args, options } = commandAs(runAs, programs.postgres, [
      ...['-D', join(context.dataDir, 'pg')],
      ...settings(port).flatMap((setting) => ['-c', setting]),
    ]);
    const child = new SupervisedChild(
      {
        name: 'PostgreSQL',
        spawn: () =>
          withLogFile(context.dataDir, 'postgres', (log) =>
            spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] }),
          ),
        ready: async (signal) => await pollUntil(() => answersQueries(databaseUrl), signal),
        readyTimeoutMs: READY_TIMEOUT_MS,
        // Fast shutdown, then immediate shutdown: both lose nothing.
        stopSignals: [
          ['SIGINT', 20_000],
          ['SIGQUIT', 5_000],
        ],
        logTail: () => logTail(context.dataDir, 'postgres'),
      },
      context,
    );
    try {
      await child.start();
      return { databaseUrl, port, stop: async () => await child.stop() };
    } catch (error) {
      if (context.signal.aborted) throw error;
      if (attempt === ATTEMPTS || !(await lostPort(error, [port]))) throw error;
      port = await findFreePort(undefined);
    }
  }
}

/** Whether a PostgreSQL server answers at this address; false for any fault whatsoever. */
export async function answersQueries(databaseUrl: string): Promise<boolean> {
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 3, onnotice: () => undefined });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function settings(port: number): string[] {
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    'password_encryption=scram-sha-256',
    'logging_collector=off',
    'log_destination=stderr',
    'log_timezone=UTC',
    'timezone=UTC',
    'log_line_prefix=%m [%p] ',
  ];
}
