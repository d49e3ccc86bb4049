import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '../db/client.ts';
import { skipReason, type EndpointState } from '../domain/delivery.ts';
import { deliveryWorkflowId } from '../domain/workflow-id.ts';
import { newId } from '../ids.ts';
import { OUTBOX_CHANNEL } from '../relay/outbox-channel.ts';
import { EVENT_CATALOGUE, type EventData, type EventType } from './catalogue.ts';
import { bodyText, type EventEnvelope } from './envelope.ts';
import { isoFromMicroseconds } from './event-times.ts';

/** What happened, to which of the account's things, and that thing's full current state. */
export interface NewEvent<Type extends EventType> {
  accountId: string;
  type: Type;
  /** The thing whose states the events order, e.g. `deal:deal_019…`. */
  subject: string;
  data: EventData<Type>;
}

/** An event of any type. */
export type AnyNewEvent = { [Type in EventType]: NewEvent<Type> }[EventType];

/** How many events one statement carries: more are no faster and take more memory. */
const CHUNK = 500;

interface Endpoint {
  id: string;
  state: EndpointState;
}

interface RecordedEvent {
  subject: string;
  envelope: EventEnvelope;
  endpoints: Endpoint[];
}

const momentsAndEndpoints = z.object({
  /** When the first event of each subject happened, in microseconds. */
  moments: z.array(z.tuple([z.string(), z.string(), z.string()])),
  fanOut: z.array(
    z.tuple([
      ...([z.string(), z.string()] as const),
      z.array(z.object({ id: z.string(), state: z.enum(['active', 'paused']) })),
    ]),
  ),
});

/**
 * Records events in the transaction of the action that caused them, each with a pending delivery for
 * every endpoint that is subscribed to its type. This is the only way to create events: they exist
 * exactly when their action took effect (spec §1.2). Deliveries to paused endpoints are recorded as
 * skipped, so that the log answers why they did not arrive. Several events of one subject happen in
 * the order in which they are given. Answers the envelopes in that order.
 *
 * Call it after the subjects have been changed or locked. `data` that does not fit the catalogue is
 * a programming error and throws, so that the action is rolled back with it.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly AnyNewEvent[],
): Promise<EventEnvelope[]> {
  for (const { type, data } of events) EVENT_CATALOGUE[type].data.parse(data);
  const envelopes = new Array<EventEnvelope>(events.length);
  const inOrder = inLockOrder(events);
  for (let first = 0; first < inOrder.length; first += CHUNK) {
    const chunk = inOrder.slice(first, first + CHUNK);
    const recorded = await takeTimes(
      tx,
      chunk.map(({ event }) => event),
    );
    await insertEvents(tx, recorded);
    chunk.forEach(({ at }, i) => (envelopes[at] = recorded[i]!.envelope));
  }
  return envelopes;
}

/** By subject, so that transactions which lock several lock them in the same order. */
function inLockOrder(events: readonly AnyNewEvent[]): { event: AnyNewEvent; at: number }[] {
  const keyed = events.map((event, at) => ({ event, at, key: keyOf(event) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.at - b.at));
}

function keyOf({ accountId, subject }: { accountId: string; subject: string }): string {
  return `${accountId} ${subject}`;
}

/**
 * Takes the time of each event, and the endpoints it goes to. The upsert locks a subject's row before
 * the clock is read, so that `created_at` agrees with the order in which a subject's changes are
 * committed, and is later than the subject's last one even if the clock went back (spec §6.2).
 */
async function takeTimes(tx: Tx, events: readonly AnyNewEvent[]): Promise<RecordedEvent[]> {
  const subjects = new Map<string, { accountId: string; subject: string; events: number }>();
  const audiences = new Map<string, { accountId: string; type: EventType }>();
  for (const event of events) {
    const { accountId, subject, type } = event;
    const known = subjects.get(keyOf(event));
    if (known) known.events += 1;
    else subjects.set(keyOf(event), { accountId, subject, events: 1 });
    audiences.set(`${accountId} ${type}`, { accountId, type });
  }
  const locked = [...subjects.values()];
  // Time for all events of one subject, a microsecond apart.
  const room = Math.max(...locked.map((subject) => subject.events)) - 1;
  const roomTaken = sql`${`${room} microseconds`}::interval`;
  const wanted = locked.map(({ accountId, subject }, nth) => ({
    ...{ account_id: accountId, subject, nth },
  }));
  const asked = [...audiences.values()].map(({ accountId, type }) => ({
    ...{ account_id: accountId, type },
  }));
  const [row] = await tx.execute(sql`
    with moment as (
      insert into event_subjects as s (account_id, subject, last_event_at)
      select account_id, subject, clock_timestamp() + ${roomTaken}
      from json_to_recordset(${JSON.stringify(wanted)}::json)
        as wanted (account_id text, subject text, nth int)
      order by nth
      on conflict (account_id, subject) do update
        set last_event_at =
          greatest(clock_timestamp(), s.last_event_at + interval '1 microsecond') + ${roomTaken}
      returning account_id, subject, last_event_at
    )
    select
      (select json_agg(json_build_array(account_id, subject,
         ((extract(epoch from last_event_at - ${roomTaken}) * 1000000)::bigint)::text))
       from moment) as moments,
      (select json_agg(json_build_array(account_id, type, coalesce(
         (select json_agg(json_build_object('id', id, 'state', state) order by id)
          from endpoints e
          where e.account_id = asked.account_id and e.state <> 'deleted'
            and asked.type = any (e.event_types)),
         '[]')))
       from json_to_recordset(${JSON.stringify(asked)}::json)
         as asked (account_id text, type text)) as "fanOut"`);
  const { moments, fanOut } = momentsAndEndpoints.parse(row);
  const next = new Map(
    moments.map(([accountId, subject, at]) => [keyOf({ accountId, subject }), BigInt(at)]),
  );
  const endpoints = new Map(fanOut.map(([account, type, list]) => [`${account} ${type}`, list]));
  return events.map((event) => {
    const { accountId, subject, type, data } = event;
    const at = next.get(keyOf(event));
    if (at === undefined) throw new Error('a subject was not locked');
    next.set(keyOf(event), at + 1n);
    const created_at = isoFromMicroseconds(at);
    const envelope = { id: newId('event'), type, created_at, user_id: accountId, data };
    return { subject, envelope, endpoints: endpoints.get(`${accountId} ${type}`) ?? [] };
  });
}

async function insertEvents(tx: Tx, recorded: readonly RecordedEvent[]): Promise<void> {
  const deliveries = recorded.flatMap(({ envelope: { type }, endpoints }, nth) =>
    endpoints.map(({ id: endpoint_id, state }) => ({
      ...{ id: newId('delivery'), nth, endpoint_id },
      skip_reason: skipReason({ state, eventTypes: [type] }, automatic(type)) ?? null,
    })),
  );
  const toStart = new Set(
    deliveries.flatMap(({ nth, skip_reason }) => (skip_reason === null ? [nth] : [])),
  );
  const events = recorded.map(({ subject, envelope }, nth) => {
    const { id, type, created_at, user_id } = envelope;
    const workflow = toStart.has(nth) ? deliveryWorkflowId(id) : null;
    const body = bodyText(envelope);
    return { nth, id, account_id: user_id, type, subject, created_at, workflow, body };
  });
  await tx.execute(sql`
    with e as materialized (
      select * from json_to_recordset(${JSON.stringify(events)}::json) as e (
        nth int, id text, account_id text, type text, subject text, created_at timestamptz,
        workflow text, body text)
    ), event as (
      insert into events (id, account_id, type, subject, created_at, body)
      select id, account_id, type, subject, created_at, convert_to(body, 'UTF8') from e
    ), fan_out as (
      insert into deliveries (id, account_id, event_id, event_type, event_at, endpoint_id, state,
                              skip_reason, next_attempt_at, expected_at, finished_at)
      select d.id, e.account_id, e.id, e.type, e.created_at, d.endpoint_id,
             case when d.skip_reason is null then 'pending' else 'skipped' end, d.skip_reason,
             case when d.skip_reason is null then now() end,
             case when d.skip_reason is null then now() end,
             case when d.skip_reason is null then null else now() end
      from json_to_recordset(${JSON.stringify(deliveries)}::json)
        as d (id text, nth int, endpoint_id text, skip_reason text)
        join e using (nth)
    ), queued as (
      insert into outbox (key, task, account_id, subject_id)
      select workflow, 'event', account_id, id from e where workflow is not null
    )
    select pg_notify(${OUTBOX_CHANNEL}, '') where ${toStart.size > 0}`);
}

function automatic(eventType: EventType) {
  return { kind: 'automatic', eventType } as const;
}
