import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCommandLine, UsageError, type Command } from '../../src/commands/command.ts';
import { accountCreate, accountPlan } from '../../src/commands/account.ts';
import { auditList } from '../../src/commands/audit.ts';
import { countyList, countyUnwatch, countyWatch } from '../../src/commands/county.ts';
import { farmCreate, farmList, farmUpdate } from '../../src/commands/farm.ts';
import { leadList, leadRelease, leadSave } from '../../src/commands/lead.ts';
import {
  listAdd,
  listArchive,
  listCreate,
  listList,
  listRemove,
  listRestore,
} from '../../src/commands/list.ts';
import { parcelAdd, parcelImport, parcelList } from '../../src/commands/parcel.ts';
import { createProgressLine } from '../../src/commands/progress-line.ts';
import { searchCreate } from '../../src/commands/search.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
let folder: string;
let accountId: string;
beforeAll(async () => {
  records = await createTestRecords();
  folder = await mkdtemp(join(tmpdir(), 'lead-events-commands-'));
  accountId = (await records.newAccount()).id;
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});

/** What a command answers, as the command line would run it. */
async function run(command: Command, ...argv: string[]) {
  const config = testConfig({
    ...{ DATABASE_URL: records.url, SECRET_KEY: TEST_KEY.toString('hex'), DATA_DIR: folder },
  });
  const parsed = parseCommandLine(command, argv);
  const answer = await command.run({ ...parsed, config, progress: () => undefined });
  if (!answer) throw new Error('no answer');
  return answer as { text: string; json: Record<string, unknown> };
}

test('parcels: added with every field, imported from a file, shown', async () => {
  const place = ['--county', 'oak', '--account-num', '1', '--city', 'Millbrook', '--zip', '75010'];
  const added = await run(
    ...([parcelAdd, ...place, '--address', '1 Elm St', '--vacant', 'yes'] as const),
    ...['--tax-delinquent-years', '2', '--owner-name', 'Ada', '--lng=-96.5', '--lat', '33.1'],
  );
  expect(added.json).toMatchObject({ score: 35, ownerName: 'Ada', location: { lng: -96.5 } });
  expect(added.text).toBe('oak:1  1 Elm St  score 35');
  const cleared = await run(parcelAdd, ...place, '--address', '1 Elm St', '--vacant', '');
  expect(cleared.json).toMatchObject({ score: 20, vacant: false, ownerName: 'Ada' });

  const path = join(folder, 'parcels.csv');
  const rows = ['oak,2,2 Elm St,Millbrook,75010,yes', 'oak,3,3 Elm St,Millbrook,75010,no'];
  await writeFile(path, ['county,account_num,address,city,zip,vacant', ...rows].join('\n'));
  expect(await run(parcelImport, path)).toEqual({
    ...{ json: { parcels: 2 }, text: '2 parcels imported' },
  });
  expect((await run(parcelList)).text).toMatch(/^oak:2 +15 +2 Elm St$/m);
  await writeFile(path, 'county,account_num,address,city,zip\noak,9,9 Elm St,Millbrook,7');
  await expect(run(parcelImport, path)).rejects.toThrow('line 2, zip: must be a ZIP code');
  await expect(run(parcelImport, '')).rejects.toBeInstanceOf(UsageError);
});

test('lists: made, added to, shown', async () => {
  const made = await run(
    listCreate,
    '--name',
    'Call',
    '--parcels',
    'maple:1',
    '--account',
    accountId,
  );
  expect(made.json).toMatchObject({ name: 'Call', leads: 1, accountId });
  const id = made.json['id'] as string;
  const added = await run(listAdd, id, '--parcels', 'maple:1, oak:1,', '--account', accountId);
  expect(added).toEqual({ json: { id, added: 1 }, text: '1 added' });
  const shown = await run(listList, '--account', accountId);
  expect(shown.json).toMatchObject([{ id, leads: 2 }]);
  expect(shown.text).toContain(id);
});

test('lists: taken from, archived and restored', async () => {
  const account = ['--account', accountId];
  const made = await run(listCreate, '--name', 'Old', '--parcels', 'maple:1', ...account);
  const id = made.json['id'] as string;
  const removed = await run(listRemove, id, '--parcels', 'maple:1,none:1', ...account);
  expect(removed).toEqual({ json: { id, removed: 1 }, text: '1 removed' });
  expect((await run(listArchive, id, ...account)).json).toMatchObject({ id, status: 'archived' });
  expect((await run(listList, ...account)).text).toMatch(new RegExp(`^${id} +archived +0`, 'm'));
  await expect(run(listArchive, id, ...account)).rejects.toThrow('The list is archived already.');
  expect((await run(listRestore, id, ...account)).text).toMatch(/^status +active$/m);
});

test('farms: corners are longitudes and latitudes', async () => {
  const account = ['--account', accountId];
  const corners = ' -96.9,33.1; -96.8,33.1; -96.8,33.25 ';
  const made = await run(farmCreate, '--name', 'East', `--corners=${corners}`, ...account);
  expect(made.json).toMatchObject({
    alertsEnabled: true,
    area: [
      { lng: -96.9, lat: 33.1 },
      { lng: -96.8, lat: 33.1 },
      { lng: -96.8, lat: 33.25 },
    ],
  });
  const quiet = ['--name', 'Quiet', '--no-alerts', `--corners=${corners}`, ...account];
  expect((await run(farmCreate, ...quiet)).json).toMatchObject({ alertsEnabled: false });
  const id = made.json['id'] as string;
  const off = await run(farmUpdate, id, '--alerts', 'off', ...account);
  expect(off.json).toMatchObject({ id, alertsEnabled: false });
  expect((await run(farmList, ...account)).text).toMatch(
    new RegExp(`^${id} +off +\\d+ +East$`, 'm'),
  );
  expect((await run(farmUpdate, id, '--alerts', 'on', ...account)).text).toMatch(/^alerts +on$/m);
  await expect(async () =>
    run(farmUpdate, id, '--alerts', 'maybe', ...account),
  ).rejects.toBeInstanceOf(UsageError);
  for (const wrong of ['1,2;3', '1,2;3,4;5,six', '1,2,3;4,5;6,7']) {
    const argv = ['--name', 'Wrong', '--corners', wrong, ...account];
    await expect(run(farmCreate, ...argv)).rejects.toBeInstanceOf(UsageError);
  }
  await expect(
    run(farmCreate, '--name', 'Wrong', '--corners', '1,2;3,4', ...account),
  ).rejects.toMatchObject({ field: 'corners' });
});

test('searches: saved with their label and the plan that they need', async () => {
  const argv = ['--name', 'Heirs', '--counties', 'maple,oak', '--lead-types', 'probate,vacant'];
  const more = ['--min-score', '60', '--owned-for-years', '10', '--account', accountId];
  const made = await run(searchCreate, ...argv, ...more);
  expect(made.json).toMatchObject({
    criteria: {
      ...{ counties: ['maple', 'oak'], lead_types: ['probate', 'vacant'] },
      ...{ min_score: 60, owned_for_years: 10 },
    },
    plan_needed: 'elite',
    label: 'Probate or Vacant in maple or oak; score 60 or more; owned for 10 years or more',
  });
  const wrong = ['--name', 'x', '--counties', 'maple', '--min-score', 'high'];
  await expect(async () => run(searchCreate, ...wrong)).rejects.toMatchObject({
    ...{ code: 'bad_request', field: 'min_score' },
  });
});

test('leads: saved, shown with the ways in which they are held, released', async () => {
  const account = ['--account', accountId];
  expect((await run(leadList, ...account)).text).toBe('(none)');
  const saved = await run(leadSave, 'maple:1', ...account);
  expect(saved).toEqual({
    ...{ json: { parcelId: 'maple:1', via: 'saved' }, text: 'maple:1 is saved' },
  });
  const shown = await run(leadList, ...account);
  expect(shown.json).toMatchObject([{ parcelId: 'maple:1', via: ['saved'] }]);
  expect(shown.text).toMatch(/^maple:1 +\d+ +saved +12 Alder Ct/m);
  expect((await run(leadRelease, 'maple:1', ...account)).json).toEqual({
    ...{ parcelId: 'maple:1', released: true },
  });
  expect((await run(leadRelease, 'maple:1', ...account)).text).toBe('maple:1 was not saved');
  await expect(run(leadSave, 'none:1', ...account)).rejects.toMatchObject({ field: 'parcels' });
});

test('counties: watched, shown, watched no longer', async () => {
  const account = ['--account', accountId];
  expect((await run(countyWatch, 'maple', ...account)).text).toBe('maple is watched');
  const shown = await run(countyList, ...account);
  expect(shown).toEqual({ json: [{ county: 'maple' }], text: 'county\nmaple' });
  expect((await run(countyUnwatch, 'maple', ...account)).json).toEqual({
    ...{ county: 'maple', unwatched: true },
  });
  expect((await run(countyUnwatch, 'maple', ...account)).text).toBe('maple was not watched');
  await expect(run(countyWatch, 'mapel', ...account)).rejects.toMatchObject({ field: 'county' });
});

test('accounts: put on another plan, which the audit log tells', async () => {
  const made = await run(accountCreate, '--email', 'plan@example.com', '--plan', 'free');
  const id = made.json['id'] as string;
  const changed = await run(accountPlan, id, 'pro');
  expect(changed.json).toMatchObject({ id, plan: 'pro' });
  expect(changed.text).toMatch(/^plan +pro$/m);
  expect((await run(auditList, '--account', id)).text).toMatch(
    /account\.plan_changed +acct_\w+ +to="pro" from="free"/,
  );
  await expect(run(accountPlan, id, 'gold')).rejects.toMatchObject({ field: 'plan' });
});

test('a progress bar is shown on a terminal only, over itself, and taken away', () => {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const bar = createProgressLine({ write, isTTY: true } as never);
  bar.show('writing', 0.5, '10 rows');
  bar.show('writing', 0.6, 'too soon');
  bar.show('writing', 1, '20 rows');
  bar.clear();
  expect(written).toEqual([
    `\rwriting  ${'█'.repeat(12)}${'░'.repeat(12)} 10 rows\x1b[K`,
    `\rwriting  ${'█'.repeat(24)} 20 rows\x1b[K`,
    '\r\x1b[K',
  ]);
  written.length = 0;
  const silent = createProgressLine({ write, isTTY: false } as never);
  silent.show('writing', 1, '20 rows');
  silent.clear();
  expect(written).toEqual([]);
});
