import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { instancePath, readRecord } from '../../src/engine/instance-record.ts';
import { answersQueries } from '../../src/engine/postgres-server.ts';
import { becomesTrue } from '../../src/engine/poll-until.ts';
import { isRunning, processStart } from '../../src/engine/process-identity.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import {
  EngineProcess,
  engineOptions,
  noTemporal,
  query,
  runningServers,
  serverPid,
} from './support.ts';

const headless = { headless: true };

describe('the process that runs an engine', () => {
  it(
    'when killed, is succeeded with nothing lost and no orphan',
    { timeout: 120_000 },
    async () => {
      const { dataDir, cacheDir, progress, log } = engineOptions();
      const first = new EngineProcess({ dataDir, cacheDir, temporal: headless });
      const databaseUrl = (await first.says('up')).urls?.databaseUrl ?? '';
      await query(databaseUrl, 'create table kept (n int)', 'insert into kept values (7)');
      const orphans = readRecord(dataDir)?.children ?? [];
      first.child.kill('SIGKILL');
      await first.exit;
      expect(orphans.map(({ name }) => name).sort()).toEqual(['PostgreSQL', 'Temporal']);
      expect(orphans.every(isRunning)).toBe(true);

      const second = await startEngine({ dataDir, cacheDir, progress, log, temporal: headless });
      onTestFinished(second.stop);
      expect(orphans.some(isRunning)).toBe(false);
      expect(second.databaseUrl).toBe(databaseUrl);
      expect(await query(databaseUrl, 'select n from kept')).toEqual([{ n: 7 }]);
    },
  );

  it(
    'when its record is lost as well, is succeeded all the same',
    { timeout: 120_000 },
    async () => {
      const { dataDir, cacheDir, progress, log } = engineOptions();
      const first = new EngineProcess({ dataDir, cacheDir, temporal: headless });
      const databaseUrl = (await first.says('up')).urls?.databaseUrl ?? '';
      await query(databaseUrl, 'create table kept (n int)', 'insert into kept values (7)');
      first.child.kill('SIGKILL');
      process.kill(serverPid(dataDir, 'PostgreSQL'), 'SIGKILL');
      await first.exit;
      writeFileSync(instancePath(dataDir), '{"id": "torn off he');
      // The pid in PostgreSQL's lock file goes to another process meanwhile.
      const lock = join(dataDir, 'pg', 'postmaster.pid');
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(/^\d+/, String(process.pid)));
      const orphans = runningServers(dataDir);
      expect(orphans.length).toBeGreaterThan(0); // Temporal, found by its command line

      const second = await startEngine({ dataDir, cacheDir, progress, log, temporal: headless });
      onTestFinished(second.stop);
      expect(orphans.filter((pid) => processStart(pid) !== undefined)).toEqual([]);
      expect(await query(second.databaseUrl, 'select n from kept')).toEqual([{ n: 7 }]);
    },
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends its servers on %s',
    { timeout: 120_000 },
    async (signal) => {
      const { dataDir, cacheDir } = engineOptions();
      const running = new EngineProcess({ dataDir, cacheDir, temporal: headless });
      await running.says('up');
      expect(runningServers(dataDir)).toHaveLength(2);
      running.child.kill(signal);
      await running.says('stopped');
      expect(await running.exit).toBe(0);
      expect(runningServers(dataDir)).toEqual([]);
      expect(statSync(join(dataDir, 'pg', 'postmaster.pid'), { throwIfNoEntry: false })).toBe(
        undefined,
      );
    },
  );
});

describe('a server that dies', () => {
  it('is restarted on the same port', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    const engine = await startEngine(options);
    onTestFinished(engine.stop);
    await query(engine.databaseUrl, 'create table kept (n int)', 'insert into kept values (7)');
    for (const name of ['PostgreSQL', 'Temporal'] as const) {
      const before = serverPid(options.dataDir, name);
      process.kill(before, 'SIGKILL');
      const back = `${name} runs again.`;
      expect(await becomesTrue(() => options.messages.includes(back), 60_000)).toBe(true);
      expect(serverPid(options.dataDir, name)).not.toBe(before);
    }
    expect(await answersQueries(engine.databaseUrl)).toBe(true);
    expect(await query(engine.databaseUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  });
});

describe('processes that are not ours', () => {
  it('are left alone, whatever the record says of their pids', { timeout: 120_000 }, async () => {
    const { dataDir, cacheDir, progress, log } = engineOptions(noTemporal);
    const options = { dataDir, cacheDir, progress, log, ...noTemporal };
    const first = await startEngine(options);
    await first.stop();
    const waits = ['-e', 'setInterval(() => 0, 1000)', join(dataDir, 'pg')];
    const stranger = spawn(process.execPath, waits);
    onTestFinished(() => void stranger.kill('SIGKILL'));
    const record = readRecord(dataDir);
    const child = { name: 'PostgreSQL', pid: stranger.pid, startedAt: 'another time' };
    const text = JSON.stringify({ ...record, state: 'running', children: [child] });
    writeFileSync(instancePath(dataDir), text.replace(`"pid":${process.pid}`, '"pid":999999999'));

    const second = await startEngine(options);
    await second.stop();
    expect(stranger.exitCode).toBeNull();
    expect(stranger.signalCode).toBeNull();
  });
});
