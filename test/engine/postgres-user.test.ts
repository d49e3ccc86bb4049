import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresBinaries } from '../../src/engine/postgres-binaries.ts';
import { commandAs, postgresUser } from '../../src/engine/postgres-user.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import {
  EngineProcess,
  engineOptions,
  isRoot,
  noTemporal,
  query,
  runningServers,
  serverPid,
} from './support.ts';

const asNobody = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'];

/** Why the tests that need root (or to become somebody else) cannot run here; undefined: they can. */
function obstacle(): string | undefined {
  if (!isRoot) return 'needs root';
  if (process.platform !== 'linux') return 'needs Linux';
  try {
    execFileSync('setpriv', [...asNobody.slice(1), process.execPath, '--version']);
    execFileSync('setpriv', [...asNobody.slice(1), 'test', '-r', import.meta.filename]);
    return undefined;
  } catch (error) {
    return `needs setpriv, and node and this clone open to the user nobody (${String(error)})`;
  }
}

const why = obstacle();

describe.skipIf(why)(`as root${why ? ` (skipped: ${why})` : ''}`, () => {
  it('runs PostgreSQL as another user, who owns the data', { timeout: 120_000 }, async () => {
    const options = engineOptions(noTemporal);
    const engine = await startEngine(options);
    onTestFinished(engine.stop);
    const uid = statSync(join(options.dataDir, 'pg')).uid;
    expect(uid).not.toBe(0);
    const status = readFileSync(`/proc/${serverPid(options.dataDir, 'PostgreSQL')}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s`, 'm'));
    expect(status).toMatch(/^CapEff:\s+0+$/m);
  });

  it('works below a directory that is closed to others', { timeout: 120_000 }, async () => {
    const options = engineOptions(noTemporal);
    chmodSync(dirname(options.dataDir), 0o700);
    const engine = await startEngine(options);
    onTestFinished(engine.stop);
    expect(await query(engine.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('works with programs below a directory that is closed to others', async () => {
    const { dataDir } = engineOptions();
    mkdirSync(dataDir);
    const { folder } = await postgresBinaries();
    const closed = join(dirname(dataDir), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    execFileSync('cp', ['-a', dirname(folder), closed]);
    const bin = join(closed, 'native', 'bin');
    const programs = { folder: bin, postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
    const runAs = await postgresUser(dataDir, programs);
    expect(runAs).toMatchObject({ capability: 'dac_read_search', accessHeedsIt: true });
    const shell = commandAs(runAs, '/bin/sh', ['-c', 'id -u; grep CapEff /proc/self/status']);
    const said = execFileSync(shell.command, shell.args, { ...shell.options, encoding: 'utf8' });
    expect(said).toMatch(/^[1-9]\d*\nCapEff:\s+0*4\n$/); // not root, and this one capability only
  });

  it(
    'keeps the owner of existing data, and takes data back from root',
    { timeout: 120_000 },
    async () => {
      const options = engineOptions(noTemporal);
      const pg = join(options.dataDir, 'pg');
      await (await startEngine(options)).stop();
      execFileSync('chown', ['-R', 'nobody:nogroup', pg]);
      const nobody = statSync(pg).uid;
      await (await startEngine(options)).stop();
      expect(statSync(pg).uid).toBe(nobody);
      execFileSync('chown', ['-R', '0:0', pg]);
      rmSync(join(options.dataDir, 'postgres-password'));
      const engine = await startEngine(options);
      onTestFinished(engine.stop);
      expect(statSync(pg).uid).not.toBe(0);
      expect(await query(engine.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  it('says what to do when no user can get there', { timeout: 120_000 }, async () => {
    const { dataDir, cacheDir } = engineOptions();
    chmodSync(dirname(dataDir), 0o700);
    const without = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'];
    const running = new EngineProcess({ dataDir, cacheDir, ...noTemporal }, without);
    const { message } = await running.says('failed');
    expect(message).toMatch(/cannot reach .*Permission denied.*DATA_DIR.*DATABASE_URL/s);
    expect(await running.exit).toBe(0);
  });

  it('works as an ordinary user too', { timeout: 120_000 }, async () => {
    const { dataDir, cacheDir } = engineOptions();
    mkdirSync(dataDir);
    const { uid, gid } = nobody();
    chownSync(dataDir, uid, gid);
    const running = new EngineProcess({ dataDir, cacheDir, ...noTemporal }, asNobody);
    const databaseUrl = (await running.says('up')).urls?.databaseUrl ?? '';
    expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(statSync(join(dataDir, 'pg')).uid).toBe(uid);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    expect(runningServers(dataDir)).toEqual([]);
  });

  it(
    'tells an ordinary user that the data are of somebody else',
    { timeout: 120_000 },
    async () => {
      const options = engineOptions(noTemporal);
      await (await startEngine(options)).stop();
      const { dataDir, cacheDir } = options;
      execFileSync('chown', ['-R', '12345:12345', join(dataDir, 'pg')]);
      const before = new EngineProcess({ dataDir, cacheDir, ...noTemporal }, asNobody);
      expect((await before.says('failed')).message).toMatch(/cannot be used.*permission denied/is);
      const { uid, gid } = nobody();
      chownSync(dataDir, uid, gid);
      chownSync(join(dataDir, 'instance.json'), uid, gid);
      const after = new EngineProcess({ dataDir, cacheDir, ...noTemporal }, asNobody);
      expect((await after.says('failed')).message).toMatch(/belongs to another user \(uid 12345\)/);
    },
  );
});

function nobody(): { uid: number; gid: number } {
  const id = (flag: string): number =>
    Number(execFileSync('setpriv', [...asNobody.slice(1), 'id', flag], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
