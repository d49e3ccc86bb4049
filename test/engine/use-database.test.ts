import { describe, expect, it, onTestFinished } from 'vitest';
import { answersQueries } from '../../src/engine/postgres-server.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { useDatabase } from '../../src/engine/use-database.ts';
import { engineOptions, noTemporal, query, runningServers } from './support.ts';

describe('the database for a command', () => {
  it('is that of the running instance', { timeout: 120_000 }, async () => {
    const options = engineOptions(noTemporal);
    const engine = await startEngine(options);
    onTestFinished(engine.stop);
    const database = await useDatabase(options);
    expect(database.databaseUrl).toBe(engine.databaseUrl);
    expect(database.temporalAddress).toBe(engine.temporalAddress);
    await database.stop();
    expect(await answersQueries(engine.databaseUrl)).toBe(true);
  });

  it('is started for the command when nothing runs', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    const database = await useDatabase(options);
    expect(database.temporalAddress).toBeNull();
    await query(database.databaseUrl, 'create table kept (n int)', 'insert into kept values (7)');
    await database.stop();
    expect(runningServers(options.dataDir)).toEqual([]);
    const engine = await startEngine({ ...options, ...noTemporal });
    onTestFinished(engine.stop);
    expect(await query(engine.databaseUrl, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  it('is for one command after the other, and a start waits', { timeout: 120_000 }, async () => {
    const options = engineOptions();
    const order: string[] = [];
    const first = await useDatabase(options);
    const second = useDatabase(options).then(async (database) => {
      order.push('second up');
      expect(await query(database.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
      await database.stop();
    });
    await expect.poll(() => options.messages.join()).toMatch(/Waiting for process/);
    order.push('first down');
    await first.stop();
    await second;
    expect(order).toEqual(['first down', 'second up']);
  });

  it('waits for an instance that is starting', { timeout: 120_000 }, async () => {
    const options = engineOptions(noTemporal);
    const starting = startEngine(options);
    const database = await useDatabase(options);
    const engine = await starting;
    onTestFinished(engine.stop);
    expect(database.databaseUrl).toBe(engine.databaseUrl);
  });

  it('is the given one when one is given', async () => {
    const options = engineOptions({ databaseUrl: 'postgres://a:b@db.test/x' });
    const database = await useDatabase(options);
    expect(database).toMatchObject({ databaseUrl: options.databaseUrl, temporalAddress: null });
    await database.stop();
  });
});
