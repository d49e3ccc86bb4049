import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { generalHelp } from '../../src/commands/help.ts';
import { parseCommandLine, usageLine, UsageError } from '../../src/commands/command.ts';
import { runCli, runJson } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, SECRET_KEY: '1'.repeat(64), LOG_LEVEL: 'silent' };
});
afterAll(() => database.drop());

test('help names every command and exits 0', async () => {
  const { code, stdout } = await runCli(['help'], {});
  expect(code).toBe(0);
  expect(stdout).toBe(generalHelp(COMMANDS));
  for (const { name } of COMMANDS) expect(stdout).toContain(name);
});

describe('wrong usage exits 2, says what is wrong and how it is right', () => {
  test.each([
    [['fly'], 'no command "fly"'],
    [['deal', 'move', 'deal_1'], '<status> is missing'],
    [['deal', 'move', 'deal_1', 'DEAD', 'now'], 'unexpected argument "now"'],
    [['deal', 'create'], '--parcel is missing'],
    [['deal', 'create', '--parcel', 'a:1', '--parcel', 'b:1'], '--parcel is given twice'],
    [['deal', 'create', '--parcel', 'a:1', '--colour', 'red'], "'--colour'"],
  ])('%j', async (args, message) => {
    const { code, stderr, stdout } = await runCli(args, env);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
  });
});

test('what is refused exits 1; with --json standard output has one JSON value that names the field', async () => {
  const args = ['account', 'create', '--email', 'nobody', '--plan', 'pro', '--json'];
  const { code, stdout } = await runCli(args, env);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: 'bad_request', field: 'email' });
});

test('an endpoint that the guard would refuse is refused at creation (spec §6.2)', async () => {
  const account = await runJson<{ id: string }>(
    ['account', 'create', '--email', 'a@example.com', '--plan', 'pro'],
    env,
  );
  for (const url of [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://localhost/',
  ]) {
    const args = ['endpoint', 'create', '--url', url, '--account', account.id, '--json'];
    const { code, stdout } = await runCli(args, env);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: 'bad_request', field: 'url' });
  }
  expect(await runJson(['endpoint', 'list', '--account', account.id], env)).toEqual([]);
});

test('faults of the environment are told before anything is done', async () => {
  const { code, stderr } = await runCli(['account', 'list'], {
    ...env,
    PORT: 'x',
    LOG_LEVEL: 'loud',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/PORT: .*\n.*LOG_LEVEL: /);
});

test('a database without the schema says what to do', async () => {
  const bare = new URL(database.url);
  bare.pathname = '/postgres';
  const { code, stderr } = await runCli(['account', 'list'], { ...env, DATABASE_URL: bare.href });
  expect(code).toBe(1);
  expect(stderr).toContain('migrate');
});

test('names of commands, arguments and options do not clash', () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
  for (const command of COMMANDS) {
    expect(Object.keys(command.options ?? {})).not.toContain('json');
    expect(usageLine(command)).toContain(command.name);
    expect(() => parseCommandLine(command, ['--nonsense'])).toThrow(UsageError);
  }
});

test('an import that is refused tells programs each fault by itself, however many', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lead-events-refused-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'parcels.csv');
  const rows = Array.from({ length: 12_000 }, (_, i) => `oak,${i},1 Elm St,Millbrook,x`);
  await writeFile(path, ['county,account_num,address,city,zip', 'oak,1', ...rows].join('\n'));
  const { code, stdout } = await runCli(['parcel', 'import', path, '--json'], env);
  expect(code).toBe(1);
  const { error, field, message, faults } = JSON.parse(stdout) as Record<string, unknown>;
  expect({ error, field }).toEqual({ error: 'bad_request', field: 'file' });
  expect(message).toMatch(/^Nothing was imported: 12001 bad rows\..* {2}and lines 102-12002$/s);
  expect(faults).toHaveLength(10_000);
  expect((faults as unknown[]).slice(0, 2)).toEqual([
    { line: 2, field: null, message: 'has 2 cells, the heading has 5' },
    { line: 3, field: 'zip', message: 'must be a ZIP code, 77018 or 77018-1234' },
  ]);
});
