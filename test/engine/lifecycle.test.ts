import { createServer } from 'node:net';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processStart } from '../../src/engine/process-identity.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { engineOptions, noTemporal, query, runningServers } from './support.ts';

/** Asks a Temporal server something on a connection of its own. */
async function withClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

async function occupy(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
}

describe('an engine', () => {
  it('keeps data, workflows and ports from one run to the next', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    const first = await startEngine(options);
    expect(first.embedded).toEqual({ postgres: true, temporal: true });
    await query(first.databaseUrl, 'create table kept (n int)', 'insert into kept values (7)');
    await withClient(first.temporalAddress, async ({ workflow }) => {
      await workflow.start('nobodyRunsThis', { workflowId: 'kept', taskQueue: 'none' });
    });
    await first.stop();
    expect(runningServers(options.dataDir)).toEqual([]);

    const second = await startEngine(options);
    onTestFinished(second.stop);
    expect(second.databaseUrl).toBe(first.databaseUrl);
    expect(second.temporalAddress).toBe(first.temporalAddress);
    expect(await query(second.databaseUrl, 'select n from kept')).toEqual([{ n: 7 }]);
    const retention = await withClient(second.temporalAddress, async (client) => {
      expect((await client.workflow.getHandle('kept').describe()).status.name).toBe('RUNNING');
      const found = await client.workflowService.describeNamespace({ namespace: 'default' });
      return found.config?.workflowExecutionRetentionTtl?.seconds?.toNumber();
    });
    expect(retention).toBe(7 * 24 * 3600);
  });

  it('sets PostgreSQL up for one role, durable and closed', { timeout: 120_000 }, async () => {
    const options = engineOptions(noTemporal);
    const engine = await startEngine(options);
    onTestFinished(engine.stop);
    const [settings] = await query(
      engine.databaseUrl,
      `select current_user as role, current_database() as database, usesuper as super,
         current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync,
         current_setting('server_encoding') as encoding, current_setting('data_checksums') as sums,
         current_setting('listen_addresses') as listen, current_setting('max_connections') as most
       from pg_user where usename = current_user`,
    );
    expect(settings).toEqual({
      ...{ role: 'lead_events', database: 'lead_events', super: false },
      ...{ fsync: 'on', sync: 'on', encoding: 'UTF8', sums: 'on' },
      ...{ listen: '127.0.0.1', most: '200' },
    });
    for (const name of ['postgres-password', 'instance.json', 'logs/postgres.log']) {
      expect(statSync(join(options.dataDir, name)).mode & 0o777).toBe(0o600);
    }
    const guess = engine.databaseUrl.replace(/:[^:@]+@/, ':guess@');
    await expect(query(guess, 'select 1')).rejects.toThrow(/password authentication failed/);
  });

  it('takes other ports when those of the last run are taken', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    const first = await startEngine(options);
    await first.stop();
    await occupy(Number(new URL(first.databaseUrl).port));
    await occupy(Number(first.temporalAddress.split(':')[1]));
    const second = await startEngine(options);
    onTestFinished(second.stop);
    expect(second.databaseUrl).not.toBe(first.databaseUrl);
    expect(second.temporalAddress).not.toBe(first.temporalAddress);
    expect(await query(second.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('refuses a second start on the same data directory', { timeout: 120_000 }, async () => {
    const options = engineOptions(noTemporal);
    const engine = await startEngine(options);
    onTestFinished(engine.stop);
    await expect(startEngine(options)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(new RegExp(`process ${process.pid}, since \\d{4}-`)) as string,
    });
    expect(await query(engine.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('spawns nothing for what is given, and nothing at all when both are', async () => {
    const both = { databaseUrl: 'postgres://a:b@db.test/x', temporalAddress: 'temporal.test:7233' };
    const options = engineOptions(both);
    const engine = await startEngine(options);
    expect(engine).toMatchObject({ ...both, temporalUiUrl: null });
    expect(engine.embedded).toEqual({ postgres: false, temporal: false });
    expect(statSync(options.dataDir, { throwIfNoEntry: false })).toBeUndefined();
    await engine.stop();
  });

  it('leaves nothing running when a part cannot start', { timeout: 120_000 }, async () => {
    const options = engineOptions({ temporal: { headless: true, extraArgs: ['--no-such-flag'] } });
    await expect(startEngine(options)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no-such-flag') as string,
    });
    expect(runningServers(options.dataDir)).toEqual([]);
    const engine = await startEngine({ ...options, temporal: {} });
    onTestFinished(engine.stop);
    const page = await fetch(engine.temporalUiUrl ?? '');
    expect(page.status).toBe(200);
  });

  it('can be given up at any moment of its start', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    for (const moment of ['Creating the database', 'Starting PostgreSQL', 'Starting Temporal']) {
      const giveUp = new AbortController();
      const reason = new Error(`given up at ${moment}`);
      const progress = (message: string): void => {
        if (message.startsWith(moment)) giveUp.abort(reason);
      };
      const start = startEngine({ ...options, progress, signal: giveUp.signal });
      await expect(start).rejects.toBe(reason);
      expect(runningServers(options.dataDir)).toEqual([]);
    }
  });

  it('ends its servers even when its data were deleted', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    const engine = await startEngine(options);
    const pids = runningServers(options.dataDir);
    expect(pids).toHaveLength(2);
    rmSync(options.dataDir, { recursive: true, force: true, maxRetries: 10 });
    await engine.stop();
    expect(pids.filter((pid) => processStart(pid) !== undefined)).toEqual([]);
  });
});
