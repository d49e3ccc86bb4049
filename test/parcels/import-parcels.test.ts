import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { count, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parcels } from '../../drizzle/schema.ts';
import { ImportRefused } from '../../src/parcels/import-faults.ts';
import { importParcels, type ImportProgress } from '../../src/parcels/import-parcels.ts';
import { PARCEL_FIELDS } from '../../src/parcels/parcel-fields.ts';
import { PARCEL_BATCH } from '../../src/parcels/upsert-parcels.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

let records: TestRecords;
let folder: string;
beforeAll(async () => {
  records = await createTestRecords();
  folder = await mkdtemp(join(tmpdir(), 'lead-events-import-'));
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => records.db.delete(parcels));

const HEAD = 'county,account_num,address,city,zip';

async function file(text: string | Buffer): Promise<string> {
  const path = join(folder, 'parcels.csv');
  await writeFile(path, text);
  return path;
}

async function importText(text: string | Buffer) {
  return importParcels(records.db, await file(text));
}

/** What the file is refused for: `line column: message` of each fault, and how many rows are bad. */
async function refusal(text: string): Promise<{ faults: string[]; badRows: number }> {
  const error = await importText(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ImportRefused);
  expect(await stored()).toEqual([]);
  const { faults = [], badRows } = error as ImportRefused;
  return {
    faults: faults.map(({ line, field, message }) => `${line} ${field ?? '-'}: ${message}`),
    badRows,
  };
}

async function stored() {
  return records.db.select().from(parcels).orderBy(parcels.id);
}

test('reads every column, scores the parcels and reads their streets', async () => {
  const rows = {
    ...{ county: 'oak', account_num: '1-A', address: '"12 1/2 Elm St, Millbrook, TX"' },
    ...{ city: 'Millbrook', zip: '75010-1234', state: 'TX', lng: '-96.91', lat: '33.12' },
    ...{ owner_name: '"Ada ""Mac"" Fields"', mailing_address: '"1 Oak St\r\nTulsa, OK"' },
    ...{ mailing_state: 'OK', owner_occupied: 'no', owned_since: '1990-01-31' },
    ...{ free_and_clear: 'true', owner_birth_year: '1940', vacant: 'Y' },
    ...{ probate_filed_on: '', foreclosure_notice_on: '', tax_delinquent_years: '3' },
    open_code_violations: '1',
  };
  expect(Object.keys(rows)).toEqual(PARCEL_FIELDS);
  const text = `${Object.keys(rows).join(',')}\r\n${Object.values(rows).join(',')}\r\n`;
  expect(await importText(text)).toEqual({ parcels: 1 });
  expect(await stored()).toMatchObject([
    {
      ...{
        id: 'oak:1-A',
        houseNumber: '12 1/2',
        streetKey: 'ELM ST',
        ownerName: 'Ada "Mac" Fields',
      },
      ...{ mailingAddress: '1 Oak St, Tulsa, OK', location: { lng: -96.91, lat: 33.12 } },
      ...{ probateFiledOn: null, score: 100, ownerOccupied: false, vacant: true },
    },
  ]);
});

test.each([
  ['a byte order mark', `\uFEFF${HEAD}\noak,1,1 Elm St,Millbrook,75010\n`],
  ['CRLF', `${HEAD}\r\noak,1,1 Elm St,Millbrook,75010\r\n`],
  ['CR', `${HEAD}\roak,1,1 Elm St,Millbrook,75010\r`],
  ['no line end at the end', `${HEAD}\noak,1,1 Elm St,Millbrook,75010`],
  ['empty lines', `\n${HEAD}\n\n\noak,1,1 Elm St,Millbrook,75010\n\n`],
  [
    'columns in any order and case',
    'ZIP, City,county,account_num,address\n75010,Millbrook,oak,1,1 Elm St',
  ],
  [
    'quotes everywhere',
    `"${HEAD.replaceAll(',', '","')}"\n"oak","1","1 Elm St","Millbrook","75010"`,
  ],
])('reads a file with %s', async (_, text) => {
  expect(await importText(text)).toEqual({ parcels: 1 });
  expect(await stored()).toMatchObject([{ id: 'oak:1', address: '1 Elm St', city: 'Millbrook' }]);
});

test('reports every bad row by line and column, and imports nothing', async () => {
  const text = [
    `${HEAD},vacant,lng,lat`,
    'oak,1,1 Elm St,Millbrook,75010,yes,,',
    'oak,2,"2 Elm St\nRear",Millbrook,7501,perhaps,,',
    'oak,3,3 Elm St,Millbrook,75010,no,-96.5,',
    'oak,1,4 Elm St,Millbrook,75010,,,',
    'oak,5,5 Elm St,Millbrook',
    'Oak County,6,,Millbrook,75010,,,',
  ].join('\r\n');
  expect(await refusal(text)).toEqual({
    badRows: 5,
    faults: [
      '3 zip: must be a ZIP code, 77018 or 77018-1234',
      '3 vacant: must be yes or no (or true, false, 1, 0)',
      '5 lat: is needed beside lng',
      '6 account_num: is the parcel of line 2 again',
      '7 -: has 4 cells, the heading has 8',
      '8 county: must be up to 40 lower-case letters, digits and hyphens',
      '8 address: must not be empty',
    ],
  });
});

describe('a file with many bad rows', () => {
  const good = (i: number) => `oak,${i},1 Elm St,Millbrook,75010`;
  const bad = (i: number) => `Oak,${i},1 Elm St,Millbrook,x`;

  test('tells every fault of the first 100, and the lines of all others', async () => {
    // Lines 2 to 151, 153 and 155 to 157: two faults in each.
    const rows = Array.from({ length: 160 }, (_, i) =>
      i < 150 || i === 151 || (i >= 153 && i <= 155) ? bad(i) : good(i),
    );
    const text = [HEAD, ...rows].join('\n');
    const { faults, badRows } = await refusal(text);
    expect(badRows).toBe(154);
    expect(faults).toHaveLength(2 * 154);
    const { message } = (await importText(text).catch((error: unknown) => error)) as ImportRefused;
    const lines = message.split('\n');
    expect(lines[0]).toBe('Nothing was imported: 154 bad rows.');
    expect(lines.slice(1, -1)).toHaveLength(2 * 100);
    expect(lines.at(-2)).toMatch(/^ {2}line 101, zip: must be a ZIP code/);
    expect(lines.at(-1)).toBe('  and lines 102-151, 153, 155-157');
  });

  test('keeps 10,000 faults and 10,000 ranges of lines, and counts the rest', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => (i % 2 === 0 ? bad(i) : good(i)));
    const text = [HEAD, ...rows].join('\n');
    const { faults, badRows } = await refusal(text);
    expect(badRows).toBe(15_000);
    expect(faults).toHaveLength(10_000);
    await expect(importText(text)).rejects.toThrow(
      / {2}and lines 202, 204, .*, 20200, and 4900 more after these$/,
    );
  });
});

test('refuses a pipe, which cannot be read twice, and says why', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/null', folder]) {
    await expect(importParcels(records.db, path)).rejects.toMatchObject({
      ...{ code: 'bad_request', field: 'file' },
      message: expect.stringContaining('must be a regular file, since it is read twice') as string,
    });
  }
});

test.each([
  ['oak,1,"1 Elm St,Millbrook,75010\noak,2,2 Elm St,Millbrook,75010', '2 -: a quote is opened'],
  [
    'oak,1,1 Elm St,Millbrook,75010\noak,2,"2" Elm St,Millbrook,75010',
    '3 -: after a closing quote',
  ],
  [`oak,1,"${'x\n'.repeat(60_000)}`, '2 -: a row must have at most'],
])('says where a file stops being CSV (%#)', async (rows, start) => {
  const { faults, badRows } = await refusal(`${HEAD}\n${rows}`);
  expect(badRows).toBe(1);
  expect(faults).toEqual([expect.stringContaining(start)]);
});

test.each([
  ['', 'file: is empty'],
  ['\n\n', 'file: is empty'],
  [HEAD, 'file: has no rows'],
  [`${HEAD},colour,Size\n1`, 'Line 1: there is no column for "colour", "size".'],
  ['county,address,city\n1', 'Line 1: missing: "account_num", "zip".'],
  [`${HEAD},zip\n1`, 'Line 1: twice: "zip".'],
])('refuses the heading of %j', async (text, message) => {
  await expect(importText(text)).rejects.toMatchObject({
    ...{ code: 'bad_request', field: 'file', message: expect.stringContaining(message) as string },
  });
});

test('refuses what is not UTF-8, and says when there is no such file', async () => {
  const latin1 = Buffer.from(`${HEAD}\noak,1,1 Cañon St,Millbrook,75010`, 'latin1');
  await expect(importText(latin1)).rejects.toMatchObject({ message: 'file: is not UTF-8 text.' });
  const missing = join(folder, 'missing.csv');
  await expect(importParcels(records.db, missing)).rejects.toMatchObject({ code: 'unavailable' });
});

test('brings parcels up to date: absent columns stay, empty cells clear', async () => {
  const place = { county: 'oak', address: '1 Elm St', city: 'Millbrook', zip: '75010' };
  for (const account_num of ['1', '2']) {
    await saveParcel(records.db, {
      ...{ ...place, account_num, owner_name: 'Ada', vacant: true, tax_delinquent_years: 2 },
    });
  }
  const text = `${HEAD},vacant\noak,1,9 Oak Ave,Millbrook,75010,\noak,3,3 Elm St,Fairhaven,75022,yes`;
  expect(await importText(text)).toEqual({ parcels: 2 });
  expect(await stored()).toMatchObject([
    { id: 'oak:1', address: '9 Oak Ave', ownerName: 'Ada', vacant: false, score: 20 },
    { id: 'oak:2', address: '1 Elm St', ownerName: 'Ada', vacant: true, score: 35 },
    { id: 'oak:3', address: '3 Elm St', ownerName: '', vacant: true, score: 15 },
  ]);
});

test('a file that becomes bad, or a database that fails, between the phases leaves nothing', async () => {
  const rows = Array.from({ length: 3_000 }, (_, i) => `oak,${i},${i + 1} Elm St,Millbrook,75010`);
  const path = await file([HEAD, ...rows].join('\n'));
  const spoil = vi.fn(({ phase, rows: done }: ImportProgress) => {
    if (phase === 'writing' && done >= 2_000) throw new Error('stop');
  });
  await expect(importParcels(records.db, path, spoil)).rejects.toThrow('stop');
  expect(spoil).toHaveBeenCalled();
  expect(await stored()).toEqual([]);
});

test('one import writes at a time', async () => {
  const path = await file(`${HEAD}\noak,1,1 Elm St,Millbrook,75010`);
  let second: Promise<unknown> | undefined;
  await importParcels(records.db, path, ({ phase }) => {
    // Still inside the transaction of the first.
    if (phase === 'writing') second = importParcels(records.db, path).catch((e: unknown) => e);
  });
  const outcome = await second;
  expect([{ parcels: 1 }, expect.objectContaining({ code: 'conflict' })]).toContainEqual(outcome);
});

test('200,000 rows: told about as it goes, never more than a batch of rows at a time', async () => {
  const path = join(folder, 'large.csv');
  const out = createWriteStream(path);
  out.write(`${HEAD},owner_name,mailing_address,vacant,tax_delinquent_years\n`);
  for (let i = 0; i < 200_000; i += 1) {
    const line = `oak,${i},"${i + 1} Elm St, Millbrook, TX 75010",Millbrook,75010,Ada Fields,"PO Box ${i}, Tulsa, OK 74105",${i % 7 === 0 ? 'yes' : 'no'},${i % 4}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await finished(out);

  const told: ImportProgress[] = [];
  expect(await importParcels(records.db, path, (progress) => void told.push(progress))).toEqual({
    parcels: 200_000,
  });
  for (const phase of ['checking', 'writing']) {
    const steps = told.filter((progress) => progress.phase === phase);
    expect(steps).toHaveLength(200_000 / PARCEL_BATCH);
    const sizes = steps.map(({ rows }, i) => rows - (steps[i - 1]?.rows ?? 0));
    expect(Math.max(...sizes)).toBe(PARCEL_BATCH);
    expect(steps.map(({ fraction }) => fraction)).toEqual(
      steps.map(({ fraction }) => fraction).toSorted((a, b) => a - b),
    );
    // Read as it is needed, not ahead: after the first batch most of the file is still unread.
    expect(steps[0]?.fraction).toBeLessThan(0.1);
    expect(steps.at(-1)?.fraction).toBe(1);
  }
  const [row] = await records.db
    .select({ rows: count() })
    .from(parcels)
    .where(eq(parcels.county, 'oak'));
  expect(row).toEqual({ rows: 200_000 });
}, 180_000);
