import {
  deliveries,
  endpoints,
  events,
  parcels,
  rescoreCounts,
  rescoreRuns,
  rescoreSourceCounts,
} from '../../drizzle/schema.ts';
import type { Db } from '../../src/db/client.ts';
import { EVENT_CATALOGUE, type EventType } from '../../src/events/catalogue.ts';
import type { EventEnvelope } from '../../src/events/envelope.ts';
import type { Expected, ExpectedLead } from './model.ts';
import { markerOf } from './world.ts';

type LeadEnvelope = EventEnvelope<'lead.entered_hot'> | EventEnvelope<'lead.score_updated'>;

/**
 * What a finished run left behind that contradicts what it should have come to; nothing when each
 * change is exactly one event or counted, never both and never neither.
 */
export async function contradictions(
  db: Db,
  expected: Expected,
  { runId, cap }: { runId: string; cap: number },
): Promise<string[]> {
  const faults: string[] = [];
  const check = (fits: boolean, what: string) => void (fits || faults.push(what));
  const runs = await db.select().from(rescoreRuns);
  const run = runs.find(({ id }) => id === runId)!;
  const counts = (await db.select().from(rescoreCounts)).filter((row) => row.runId === runId);
  const sources = (await db.select().from(rescoreSourceCounts)).filter(
    (row) => row.runId === runId,
  );
  const stored = await db.select().from(events);
  const bodies = stored
    .map((event) => JSON.parse(event.body.toString('utf8')) as EventEnvelope)
    .filter(({ data }) => (data as { rescore_run_id?: string }).rescore_run_id === runId);

  for (const parcel of await db.select().from(parcels)) {
    const score = expected.scores.get(parcel.id);
    check(parcel.score === score, `${parcel.id} scores ${parcel.score}, not ${score}`);
    check(parcel.announcedScore === score, `${parcel.id}: ${parcel.announcedScore} made known`);
  }

  for (const [accountId, should] of expected.accounts) {
    const own = bodies.filter((body) => body.user_id === accountId);
    const row = counts.find((count) => count.accountId === accountId);
    const at = `account ${accountId}`;
    const zero = { enteredHotTotal: 0, scoreUpdatedTotal: 0, heldByCap: 0, heldByBacklog: 0 };
    const counted = { ...zero, enteredHotSent: 0, scoreUpdatedSent: 0, ...row };
    const kinds = [
      ['lead.entered_hot', should.enteredHot, counted.enteredHotTotal, counted.enteredHotSent],
      [
        ...(['lead.score_updated', should.scoreUpdated] as const),
        ...[counted.scoreUpdatedTotal, counted.scoreUpdatedSent],
      ],
    ] as const;
    for (const [type, leads, total, sent] of kinds) {
      const ofType = own.filter((body): body is LeadEnvelope => body.type === type);
      check(total === leads.size, `${at} ${type}: ${total} counted, not ${leads.size}`);
      check(sent === ofType.length, `${at} ${type}: ${sent} counted as sent, not ${ofType.length}`);
      check(sent! <= cap, `${at} ${type}: ${sent} sent, the cap is ${cap}`);
      const about = new Set(ofType.map(({ data }) => data.parcel_id));
      check(about.size === ofType.length, `${at} ${type}: a lead has two events`);
      for (const { data } of ofType) {
        check(isAsExpected(data, leads.get(data.parcel_id)), `${at} ${type} ${data.parcel_id}`);
      }
      if (counted.heldByBacklog === 0) {
        check(sent === Math.min(cap, leads.size), `${at} ${type}: ${sent} sent of ${leads.size}`);
      }
    }
    const perSource = sources.filter((source) => source.accountId === accountId);
    const counted_ = new Map(perSource.map((s) => [`${s.kind} ${s.sourceId}`, s.enteredHot]));
    check(same([...counted_].sort(), [...should.perSource].sort()), `${at}: counts by source`);

    const summaries = own.filter(({ type }) => type === 'rescore.summary');
    const held = counted.heldByCap + counted.heldByBacklog;
    check(summaries.length === (held > 0 ? 1 : 0), `${at}: ${summaries.length} summaries`);
    check((counted.summarisedAt !== undefined && counted.summarisedAt !== null) === held > 0, at);
    for (const { data } of summaries as EventEnvelope<'rescore.summary'>[]) {
      const told = new Map(data.per_source.map((s) => [`${s.kind} ${s.id}`, s.entered_hot]));
      check(same([...told].sort(), [...should.perSource].sort()), `${at}: summary by source`);
      const reason = counted.heldByBacklog > 0 ? 'backlog' : 'cap_exceeded';
      check(data.reason === reason, `${at}: ${data.reason}, not ${reason}`);
      const { entered_hot_total: a, entered_hot_sent: b } = data;
      const { score_updated_total: c, score_updated_sent: d } = data;
      const totals = [should.enteredHot.size, counted.enteredHotSent];
      totals.push(should.scoreUpdated.size, counted.scoreUpdatedSent);
      check(same([a, b, c, d], totals), `${at}: totals of the summary`);
    }
    for (const body of own) {
      const text = JSON.stringify(body);
      for (const other of expected.accounts.keys()) {
        if (other === accountId) continue;
        const foreign = text.includes(other) || text.includes(markerOf(other));
        check(!foreign, `${at}: an event of it tells of ${other}`);
      }
      const valid = EVENT_CATALOGUE[body.type].data.safeParse(body.data).success;
      check(valid, `${at}: ${body.id} does not fit the catalogue`);
    }
  }

  const sent = bodies.filter(({ type }) => type !== 'rescore.summary').length;
  const held = counts.reduce((sum, row) => sum + row.heldByCap + row.heldByBacklog, 0);
  check(run.state === 'finished', `the run is ${run.state}`);
  check(run.events === sent, `the run counts ${run.events} events, not ${sent}`);
  check(run.heldBack === held, `the run counts ${run.heldBack} held back, not ${held}`);
  check(run.summaries === bodies.length - sent, `the run counts ${run.summaries} summaries`);
  check(run.parcels === expected.scores.size, `the run counts ${run.parcels} parcels`);
  return [...faults, ...(await wrongDeliveries(db, bodies))];
}

function isAsExpected(data: LeadEnvelope['data'], lead: ExpectedLead | undefined): boolean {
  if (!lead) return false;
  const { previousScore, score, sources, heldVia } = lead;
  const told = 'sources' in data ? data.sources.map(({ kind, id }) => `${kind} ${id}`) : undefined;
  return (
    data.previous_score === previousScore &&
    data.score === score &&
    (told ? same(told.sort(), sources) : same((data as { held_via: string[] }).held_via, heldVia))
  );
}

/** Every event goes to each endpoint of its account that is subscribed to its type, once. */
async function wrongDeliveries(db: Db, bodies: readonly EventEnvelope[]): Promise<string[]> {
  const made = await db.select().from(deliveries);
  const all = await db.select().from(endpoints);
  return bodies.flatMap(({ id, user_id, type }) => {
    const should = all
      .filter((endpoint) => endpoint.accountId === user_id)
      .filter(({ eventTypes }) => (eventTypes as EventType[]).includes(type))
      .map((endpoint) => `${endpoint.id} ${endpoint.state === 'paused'}`);
    const are = made
      .filter(({ eventId }) => eventId === id)
      .map(({ endpointId, state }) => `${endpointId} ${state === 'skipped'}`);
    return same(are.sort(), should.sort()) ? [] : [`${id} goes to ${are.length} endpoints`];
  });
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
