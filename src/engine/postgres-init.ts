import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '../errors.ts';
import type { EngineContext } from './engine-context.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { commandAs, type RunAs } from './postgres-user.ts';
import { runCommand } from './run-command.ts';

/** The role and the database we create. The role is no superuser. */
export const POSTGRES_NAME = 'lead_events';

const ACCESS = `# Only our role, only with its password, only from this machine.
host all ${POSTGRES_NAME} 127.0.0.1/32 scram-sha-256
`;

/**
 * Makes sure that `<dataDir>/pg` is a complete cluster with our role and database, and returns the
 * role's password. Everything is done in a folder beside it that is renamed at the end, so that
 * being killed midway leaves nothing half done.
 */
export async function ensureCluster(
  context: EngineContext,
  programs: PostgresBinaries,
  runAs: RunAs,
): Promise<string> {
  const cluster = join(context.dataDir, 'pg');
  const passwordFile = join(context.dataDir, 'postgres-password');
  const folder = join(context.dataDir, 'pg.init');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (existsSync(cluster) && runAs.uid !== undefined && statSync(cluster).uid !== runAs.uid) {
    // Copied or restored by root, whom PostgreSQL does not accept as the owner.
    await runCommand('chown', ['-R', `${runAs.uid}:${runAs.gid}`, cluster]);
  }
  if (existsSync(cluster) && existsSync(passwordFile)) return readFileSync(passwordFile, 'utf8');

  const password = randomBytes(24).toString('base64url');
  const run = async (program: string, args: string[], input = ''): Promise<void> => {
    const { command, args: words, options } = commandAs(runAs, program, args);
    const result = await runCommand(command, words, { ...options, input, signal: context.signal });
    if (result.code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(result.output)) return;
    throw unavailable(`PostgreSQL could not set up its data directory: ${result.output.trim()}`);
  };
  const runSql = async (cluster: string, statements: string[]): Promise<void> =>
    await run(programs.postgres, ['--single', '-D', cluster, 'postgres'], statements.join('\n'));

  if (existsSync(cluster)) {
    await runSql(cluster, [`ALTER ROLE ${POSTGRES_NAME} PASSWORD '${password}';\n`]);
    writeFileSync(passwordFile, password, { mode: 0o600 });
    return password;
  }
  context.progress('Creating the database …');
  mkdirSync(folder, { mode: 0o700 });
  if (runAs.uid !== undefined) chownSync(folder, runAs.uid, runAs.gid ?? runAs.uid);
  const locale = ['--locale=C', '--encoding=UTF8'];
  const access = ['--username=postgres', '--auth=reject'];
  await run(programs.initdb, ['-D', folder, ...locale, ...access, '--no-instructions']);
  writeFileSync(join(folder, 'pg_hba.conf'), ACCESS);
  await runSql(folder, [
    `CREATE ROLE ${POSTGRES_NAME} LOGIN CREATEDB PASSWORD '${password}';`,
    `CREATE DATABASE ${POSTGRES_NAME} OWNER ${POSTGRES_NAME};\n`,
  ]);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  renameSync(folder, cluster);
  return password;
}
