import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { events, parcels } from '../../drizzle/schema.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { PLANS, type Plan } from '../../src/domain/plan.ts';
import { EVENT_CATALOGUE, type EventType } from '../../src/events/catalogue.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import type { LeadRow } from '../../src/leads/list-leads.ts';
import { showLead } from '../../src/leads/show-lead.ts';
import { watchCounty } from '../../src/leads/watch-county.ts';
import { createList } from '../../src/lists/create-list.ts';
import type { ParcelFields } from '../../src/parcels/parcel-fields.ts';
import { continueRescore } from '../../src/rescore/continue-rescore.ts';
import { rescoreBatch } from '../../src/rescore/rescore-batch.ts';
import { readRescore, showRescore } from '../../src/rescore/rescore-run.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { appUrls } from '../../src/urls.ts';
import { PUBLIC_URL } from '../support/config.ts';
import { startTestApi } from '../support/read-api.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { becameHot, importAgo, saveAgo, yearsAgo } from './parcels.ts';
import { clearWorld } from './world.ts';

let records: TestRecords;
beforeAll(async () => void (records = await createTestRecords()));
afterAll(() => records.close());
beforeEach(() => clearWorld(records));

const style = { serviceName: 'Lead Events', urls: appUrls(PUBLIC_URL) };
const LIMITS = { cap: 200, backlog: 10_000, batch: 100 };

const contextWith = (limits = LIMITS) => ({ db: records.db, style, limits });

/** A whole rescore. */
async function rescore(limits = LIMITS) {
  const { id } = await startRescore(records.db);
  await continueRescore(contextWith(limits), id, { turnMs: 60_000 });
  return showRescore(records.db, id);
}

/** The data of an account's events of a type, in the order in which they were made. */
async function dataOf<Type extends EventType>(accountId: string, type: Type) {
  const rows = await records.db
    .select()
    .from(events)
    .where(eq(events.accountId, accountId))
    .orderBy(events.createdAt);
  return rows
    .filter((event) => event.type === type)
    .map(({ body }) => (JSON.parse(body.toString()) as { data: Record<string, unknown> }).data);
}

async function newHolder(...parcelIds: string[]): Promise<string> {
  const { id: accountId } = await records.newAccount();
  for (const parcelId of parcelIds) {
    await holdLead(records.db, { accountId, parcelId, via: 'saved' });
  }
  return accountId;
}

const parcel = (account_num: string, signals: Partial<ParcelFields>) => ({
  ...{ county: 'oak', account_num, ...signals },
});

describe('a rescore', () => {
  test.each([
    ['15 years of ownership', { owned_since: yearsAgo(15.5) }, 0, 10],
    ['25 years of ownership', { owned_since: yearsAgo(25.5) }, 10, 15],
    ['the year of the 65th birthday', { owner_birth_year: thisYear() - 65 }, 0, 10],
    ['a year since probate', { probate_filed_on: yearsAgo(1.5) }, 35, 20],
    ['two years since probate', { probate_filed_on: yearsAgo(2.5) }, 20, 0],
    ['a year since a foreclosure notice', { foreclosure_notice_on: yearsAgo(1.2) }, 35, 0],
  ])('makes known what time alone changed: %s', async (_what, signals, before, after) => {
    const parcelId = await saveAgo(records.db, 1, parcel('1', signals));
    const accountId = await newHolder(parcelId);
    const run = await rescore();
    expect(run).toMatchObject({ state: 'finished', parcels: 1, changed: 1, events: 1 });
    expect(await dataOf(accountId, 'lead.score_updated')).toMatchObject([
      { parcel_id: parcelId, previous_score: before, score: after, rescore_run_id: run.id },
    ]);
    const [row] = await records.db.select().from(parcels);
    expect(row).toMatchObject({ score: after, announcedScore: after, scoredOn: run.day });
  });

  test('says nothing the second time, and nothing about what has not changed', async () => {
    const ids = await importAgo(records.db, 1, [
      parcel('1', becameHot()),
      parcel('2', { vacant: true }),
    ]);
    const accountId = await newHolder(...ids);
    expect(await rescore()).toMatchObject({ parcels: 2, changed: 1, events: 1 });
    expect(await rescore()).toMatchObject({ parcels: 2, changed: 0, events: 0, accounts: [] });
    expect(await dataOf(accountId, 'lead.score_updated')).toHaveLength(1);
  });

  test('tells of a score that an import has changed since the last one', async () => {
    const parcelId = await saveAgo(records.db, 1, parcel('1', {}));
    const accountId = await newHolder(parcelId);
    await createList(records.db, { accountId, name: 'Call', parcelIds: [parcelId] });
    await saveAgo(records.db, 0, parcel('1', { tax_delinquent_years: 2 }));
    await saveAgo(records.db, 0, parcel('1', { ...becameHot() }));
    expect(await dataOf(accountId, 'lead.score_updated')).toEqual([]);
    await rescore();
    const change = { previous_score: 0, previous_tier: 'cold', score: 85, tier: 'hot' };
    expect(await dataOf(accountId, 'lead.score_updated')).toMatchObject([change]);
    expect(await dataOf(accountId, 'lead.entered_hot')).toMatchObject([change]);
  });

  test('says nothing of a new parcel, and of one that was imported back to what was known', async () => {
    const [, back] = await importAgo(records.db, 1, [parcel('1', {}), parcel('2', {})]);
    const accountId = await newHolder(back!);
    await saveAgo(records.db, 0, parcel('2', { vacant: true }));
    await saveAgo(records.db, 0, parcel('2', { vacant: false }));
    const fresh = await saveAgo(records.db, 0, parcel('3', becameHot()));
    await holdLead(records.db, { accountId, parcelId: fresh, via: 'purchased' });
    expect(await rescore()).toMatchObject({ parcels: 3, changed: 0, events: 0 });
  });

  test('a lead that stays hot, or cools down, has not entered hot', async () => {
    const hot = { ...becameHot(), tax_delinquent_years: 4, open_code_violations: 2 };
    const ids = await importAgo(records.db, 1, [
      parcel('1', hot), // 90, then 100
      parcel('2', { ...hot, probate_filed_on: yearsAgo(2.5), owner_birth_year: null }),
    ]);
    const accountId = await newHolder(...ids);
    await watchCounty(records.db, { accountId, county: 'oak' });
    const run = await rescore();
    expect(run.accounts).toMatchObject([{ enteredHotTotal: 0, scoreUpdatedTotal: run.changed }]);
    expect(run.changed).toBeGreaterThan(0);
  });

  test('parcels that are imported while it runs are scored by their import or by it', async () => {
    await importAgo(
      records.db,
      1,
      ['2', '4', '6', '8'].map((n) => parcel(n, becameHot())),
    );
    const { id } = await startRescore(records.db);
    const context = contextWith({ ...LIMITS, batch: 2 });
    expect(await rescoreBatch(context, id)).toMatchObject({ parcels: 2, parcelsExpected: 4 });
    await importAgo(records.db, 0, [parcel('1', becameHot()), parcel('7', becameHot())]);
    const { parcels: scored, state } = await continueRescore(context, id, { turnMs: 60_000 });
    expect({ scored, state }).toEqual({ scored: 5, state: 'finished' });
    const rows = await records.db.select().from(parcels);
    expect(rows.map(({ score, announcedScore }) => [score, announcedScore])).toEqual(
      rows.map(() => [85, 85]),
    );
  });

  test('a parcel that was imported on a later day than the run is of stays as of that day', async () => {
    await saveAgo(records.db, 0, parcel('1', becameHot()));
    const { id } = await startRescore(records.db);
    await records.db.execute(sql`update rescore_runs set day = day - 400 where id = ${id}`);
    await continueRescore(contextWith(), id);
    const [row] = await records.db.select().from(parcels);
    expect(row).toMatchObject({ score: 85, scoredOn: yearsAgo(0) });
  });
});

describe('what an account gets', () => {
  test.each(PLANS)(
    'on the %s plan fits the catalogue and is, field by field, what the Read API shows',
    async (plan) => {
      const { db } = records;
      const probate = { ...becameHot(), probate_filed_on: yearsAgo(0.5) };
      const parcelId = await saveAgo(
        db,
        1,
        parcel('1', { ...probate, owner_name: 'Ada "É" Bell' }),
      );
      const { id: accountId } = await createAccount(db, { email: `${plan}@example.com`, plan });
      await holdLead(db, { accountId, parcelId, via: 'saved' });
      await watchCounty(db, { accountId, county: 'oak' });
      await rescore();
      const [updated] = await dataOf(accountId, 'lead.score_updated');
      const [hot] = await dataOf(accountId, 'lead.entered_hot');
      EVENT_CATALOGUE['lead.score_updated'].data.parse(updated);
      EVENT_CATALOGUE['lead.entered_hot'].data.parse(hot);
      expect(updated?.['score']).toBe(100);
      const types = updated?.['lead_types'] as string[];
      expect(types.includes('probate')).toBe(plan === 'elite');
      expect(types.includes('tax-delinquent')).toBe(plan !== 'free');
      expect(types).toContain('absentee-owner');

      const { contacts, ...lead } = await shownLead(accountId, plan);
      expect(contacts).toBeNull();
      expect(updated).toMatchObject(lead);
      expect(hot).toMatchObject(lead);
    },
  );

  /** Over HTTP; what a Free account would see, had it a key. */
  async function shownLead(accountId: string, plan: Plan): Promise<LeadRow> {
    if (plan === 'free') {
      const which = { county: 'oak', accountNum: '1' };
      return showLead({ db: records.db, style }, { accountId, plan }, which);
    }
    const api = await startTestApi(records);
    try {
      const key = await api.newKey(accountId);
      return (await api.get<{ lead: LeadRow }>('/v1/leads/oak/1', key)).json.lead;
    } finally {
      await api.close();
    }
  }

  test('of each type is capped for a run, with one summary for the rest', async () => {
    const ids = await importAgo(
      records.db,
      1,
      Array.from({ length: 7 }, (_, i) => parcel(String(i), becameHot())),
    );
    const accountId = await newHolder(...ids.slice(0, 6));
    const list = await createList(records.db, { accountId, name: 'Call', parcelIds: ids });
    const modest = await newHolder(ids[0]!);
    const run = await rescore({ ...LIMITS, cap: 3, batch: 2 });
    expect(run).toMatchObject({ events: 7, heldBack: 7, summaries: 1 });
    const counts = { entered_hot_total: 7, entered_hot_sent: 3 };
    expect(await dataOf(accountId, 'rescore.summary')).toEqual([
      {
        ...{ rescore_run_id: run.id, reason: 'cap_exceeded', ...counts },
        ...{ score_updated_total: 6, score_updated_sent: 3 },
        per_source: [{ kind: 'list', id: list.id, name: 'Call', entered_hot: 7 }],
        view_url: `${PUBLIC_URL}/rescores/${run.id}`,
      },
    ]);
    expect(await dataOf(modest, 'rescore.summary')).toEqual([]);
    expect(await dataOf(modest, 'lead.score_updated')).toHaveLength(1);
  });

  test('is only counted while too many deliveries are unfinished, and goes out when they are not', async () => {
    const ids = await importAgo(
      records.db,
      1,
      Array.from({ length: 8 }, (_, i) => parcel(String(i), becameHot())),
    );
    const accountId = await newHolder(...ids);
    await records.newEndpoint(accountId, 'https://hooks.example.com/in');
    const limits = { ...LIMITS, backlog: 2, batch: 4 };
    const { id } = await startRescore(records.db);
    // Three are sent: with the third there are more than two unfinished.
    expect(await rescoreBatch(contextWith(limits), id)).toMatchObject({ events: 3, heldBack: 1 });
    await records.db.execute(sql`
      update deliveries set state = 'delivered', finished_at = now(), expected_at = null`);
    await continueRescore(contextWith(limits), id, { turnMs: 60_000 });
    expect(await readRescore(records.db, id)).toMatchObject({ events: 6, heldBack: 2 });
    expect(await dataOf(accountId, 'rescore.summary')).toMatchObject([
      { reason: 'backlog', score_updated_total: 8, score_updated_sent: 6, per_source: [] },
    ]);
  });
});

describe('others that change parcels', () => {
  test('an import in the opposite order is never broken off: the batch gives way and comes again', async () => {
    const ids = await importAgo(
      records.db,
      1,
      Array.from({ length: 6 }, (_, i) => parcel(String(i), becameHot())),
    );
    const accountId = await newHolder(...ids);
    const { id } = await startRescore(records.db);
    let scoring: Promise<unknown> | undefined;
    await records.db.transaction(async (tx) => {
      // The last one first, as a file may have them; the batch holds the others by then.
      await tx.execute(sql`update parcels set city = 'Elsewhere' where id = 'oak:5'`);
      scoring = continueRescore(contextWith(), id, { turnMs: 60_000 });
      await expect
        .poll(() => waitingForLocks(), { interval: 5, timeout: 20_000 })
        .toBeGreaterThan(0);
      await tx.execute(sql`update parcels set city = 'Elsewhere' where id = 'oak:0'`);
    });
    expect(await scoring).toMatchObject({ state: 'finished', parcels: 6, events: 6 });
    expect(await dataOf(accountId, 'lead.score_updated')).toHaveLength(6);
    const moved = await records.db.select().from(parcels).where(eq(parcels.city, 'Elsewhere'));
    expect(moved).toHaveLength(2);
  });

  async function waitingForLocks(): Promise<number> {
    const [row] = await records.db.execute<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return row?.count ?? 0;
  }

  test('that keep them for long are told of, and it goes on when they are done', async () => {
    await saveAgo(records.db, 1, parcel('1', becameHot()));
    const { id } = await startRescore(records.db);
    await records.db.transaction(async (tx) => {
      await tx.execute(sql`update parcels set city = 'Elsewhere'`);
      await expect(continueRescore(contextWith(), id)).rejects.toMatchObject({
        ...{ code: 'unavailable', message: expect.stringContaining('next batch') as string },
      });
      expect(await readRescore(records.db, id)).toMatchObject({ parcels: 0, state: 'running' });
    });
    expect(await continueRescore(contextWith(), id)).toMatchObject({ state: 'finished' });
  });
});

function thisYear(): number {
  return Number(yearsAgo(0).slice(0, 4));
}
