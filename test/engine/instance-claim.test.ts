import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { claim, successionPath } from '../../src/engine/instance-claim.ts';
import { parseRecord, type InstanceRecord } from '../../src/engine/instance-record.ts';
import { identify, type ProcessIdentity } from '../../src/engine/process-identity.ts';
import { temporaryFolder } from './support.ts';

const me = identify(process.pid) as ProcessIdentity;
const record = (id: string, more: Partial<InstanceRecord> = {}): InstanceRecord => ({
  ...{ id, owner: me, since: new Date(0).toISOString(), state: 'starting', purpose: 'service' },
  ...{ ports: {}, children: [], databaseUrl: null, temporalAddress: null, temporalUiUrl: null },
  ...more,
});
const dead = { pid: process.pid, startedAt: 'before' }; // our pid, but another process

it('takes what is free, dead, stopped or torn, and nothing that is held', () => {
  const path = join(temporaryFolder(), 'instance.json');
  expect(claim(path, record('a'))).toEqual({ won: true, previous: undefined });
  expect(claim(path, record('b'))).toMatchObject({ won: false, holder: { id: 'a' } });
  for (const left of [record('c', { owner: dead }), record('d', { state: 'stopped' })]) {
    writeFileSync(path, JSON.stringify(left));
    expect(claim(path, record('e'))).toEqual({ won: true, previous: left });
  }
  for (const torn of ['', '{"id":', '{"id": 7}']) {
    writeFileSync(path, torn);
    expect(claim(path, record('f'))).toEqual({ won: true, previous: undefined });
  }
  expect(parseRecord(readFileSync(path, 'utf8'))).toEqual(record('f'));
  expect(readdirSync(join(path, '..'))).toEqual(['instance.json']);
});

it('succeeds a process that died while it was succeeding another', () => {
  const path = join(temporaryFolder(), 'instance.json');
  const text = JSON.stringify(record('second', { owner: dead }));
  writeFileSync(path, text);
  const right = successionPath(path, text);
  writeFileSync(right, JSON.stringify(record('died there', { owner: dead })));
  expect(claim(path, record('third'))).toMatchObject({ won: true, previous: { id: 'second' } });
  writeFileSync(path, text);
  writeFileSync(right, JSON.stringify(record('at it')));
  expect(claim(path, record('fourth'))).toMatchObject({ won: false, holder: { id: 'at it' } });
});

it('lets exactly one of several simultaneous claims win', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const paths = Array.from({ length: 60 }, (_, index) => join(folder, `${index}.json`));
  for (const [index, path] of paths.entries()) {
    if (index % 2 === 0) writeFileSync(path, JSON.stringify(record(`${index}`, { owner: dead })));
  }
  const script = fileURLToPath(new URL('fixtures/claim-process.ts', import.meta.url));
  const rivals = Array.from({ length: 3 }, () => {
    const rival = spawn(process.execPath, ['--import', 'tsx', script, ...paths], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void rival.stdin.end());
    return { rival, lines: createInterface({ input: rival.stdout })[Symbol.asyncIterator]() };
  });
  for (const { lines } of rivals) expect((await lines.next()).value).toBe('ready');
  const first = Date.now() + 100;
  for (const { rival } of rivals) rival.stdin.write(`${first}\n`);
  const results = await Promise.all(
    rivals.map(async ({ lines }) => JSON.parse((await lines.next()).value as string) as boolean[]),
  );
  const winners = paths.map((_, index) => results.filter((won) => won[index]).length);
  expect(winners).toEqual(paths.map(() => 1));
  // Not one process by being late or early each time: they did compete.
  expect(results.filter((won) => won.some(Boolean)).length).toBeGreaterThan(1);
});
