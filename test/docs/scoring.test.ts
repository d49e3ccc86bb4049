import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { LEAD_TYPE_IDS, LEAD_TYPES, type LeadType } from '../../src/domain/lead-type.ts';
import { evaluate, type Signals } from '../../src/domain/score.ts';
import { TIER_FLOORS, TIERS } from '../../src/domain/tier.ts';
import { firstDemoParcels } from '../../src/demo/first-parcels.ts';
import { parcelRow } from '../../src/parcels/parcel-row.ts';
import { PARCEL_FIELDS, REQUIRED_PARCEL_FIELDS } from '../../src/parcels/parcel-fields.ts';

/*
 * The pages for customers say what the code does: every row of the table is tried.
 */

const DAY = '2026-07-01';
const NOTHING: Signals = {
  ...{ probateFiledOn: null, foreclosureNoticeOn: null, taxDelinquentYears: 0 },
  ...{ openCodeViolations: 0, vacant: false, ownerOccupied: true, mailingState: null },
  ...{ state: 'TX', ownedSince: null, freeAndClear: false, ownerBirthYear: null },
};

/** What each row of the page speaks of, by lead type and in its order. */
const CASES: Record<LeadType, Partial<Signals>[]> = {
  probate: [{ probateFiledOn: '2026-04-01' }, { probateFiledOn: '2025-01-01' }],
  'pre-foreclosure': [{ foreclosureNoticeOn: '2026-04-01' }, { foreclosureNoticeOn: '2025-10-01' }],
  'code-violation': [1, 2, 3].map((openCodeViolations) => ({ openCodeViolations })),
  'tax-delinquent': [1, 2, 3, 4].map((taxDelinquentYears) => ({ taxDelinquentYears })),
  vacant: [{ vacant: true }],
  'free-clear': [{ freeAndClear: true }],
  'senior-ov65': [{ ownerBirthYear: 1961 }],
  'absentee-owner': [{ ownerOccupied: false }],
  'out-of-state-owner': [{ ownerOccupied: false, mailingState: 'OK' }],
  'long-term-owner': [{ ownedSince: '2010-01-01' }, { ownedSince: '2000-01-01' }],
};

let page: string;
let rows: string[][];
beforeAll(async () => {
  page = await readFile(new URL('../../docs/scoring.md', import.meta.url), 'utf8');
  rows = tableRows(page);
});

function tableRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => /^\|(?! ?-)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('docs/scoring.md', () => {
  test('lists every lead type in order, with its label and plan', () => {
    const listed = rows.flatMap(([type = '', , , plan]) => {
      const [, label, id] = /^(.+) \(`([a-z0-9-]+)`\)$/.exec(type) ?? [];
      return id ? [{ id, label, plan }] : [];
    });
    expect(listed).toEqual(LEAD_TYPE_IDS.map((id) => ({ id, ...LEAD_TYPES[id] })));
  });

  test('has the points of the code, and all of them', () => {
    const points = rows.filter((cells) => cells.length === 4 && /^\d+$/.test(cells[2] ?? ''));
    const expected = LEAD_TYPE_IDS.flatMap((type) =>
      CASES[type].map((signals) => {
        const { reasons } = evaluate({ ...NOTHING, ...signals }, DAY);
        return reasons.find((reason) => reason.type === type)?.points;
      }),
    );
    expect(points.map((cells) => Number(cells[2]))).toEqual(expected);
  });

  test('has the floors of the tiers', () => {
    const floors = rows.flatMap(([tier = '', score = '']) => {
      const name = TIERS.find((known) => tier === `\`${known}\``);
      return name ? [[name, Number(score.split(' ')[0])]] : [];
    });
    expect(Object.fromEntries(floors)).toEqual(TIER_FLOORS);
  });

  test('adds its example up', () => {
    const [, example = ''] = page.split('## An example');
    const parts = [...example.matchAll(/\((\d+)\)/g)].map(([, points]) => Number(points));
    const sum = parts.reduce((total, points) => total + points, 0);
    expect(example).toContain(`**${sum}**`);
    // It is the demo's first parcel.
    const [first] = firstDemoParcels(DAY);
    expect(parcelRow(first!, undefined, DAY).score).toBe(sum);
  });
});

test('docs/importing.md has every column, and which are needed', async () => {
  const text = await readFile(new URL('../../docs/importing.md', import.meta.url), 'utf8');
  const listed = tableRows(text)
    .slice(1)
    .flatMap(([columns = '', , unknown]) =>
      [...columns.matchAll(/`([a-z_]+)`/g)].map(([, name]) => [name, unknown === 'needed']),
    );
  expect(listed).toEqual(
    PARCEL_FIELDS.map((name) => [name, REQUIRED_PARCEL_FIELDS.includes(name)]),
  );
});
