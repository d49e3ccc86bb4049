import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '../db/client.ts';
import { skipReason, type EndpointState } from '../domain/delivery.ts';
import { deliveryWorkflowId } from '../domain/workflow-id.ts';
import { newId } from '../ids.ts';
import { OUTBOX_CHANNEL } from '../relay/outbox-channel.ts';
import { EVENT_CATALOGUE, type EventData, type EventType } from './catalogue.ts';
import { encodeBody, type EventEnvelope } from './envelope.ts';

/** What happened, to which of the account's things, and that thing's full current state. */
export interface NewEvent<Type extends EventType> {
  accountId: string;
  type: Type;
  /** The thing whose states the events order, e.g. `deal:deal_019…`. */
  subject: string;
  data: EventData<Type>;
}

const momentAndEndpoints = z.object({
  at: z.string(),
  endpoints: z.array(z.object({ id: z.string(), state: z.enum(['active', 'paused']) })),
});

/**
 * Records an event in the transaction of the action that caused it, with a pending delivery for
 * each endpoint that is subscribed to its type. This is the only way to create an event: it exists
 * exactly when its action took effect (spec §1.2). Deliveries to paused endpoints are recorded as
 * skipped, so that the log answers why they did not arrive.
 *
 * Call it after the subject has been changed or locked. `data` that does not fit the catalogue is
 * a programming error and throws, so that the action is rolled back with it.
 */
export async function recordEvent<Type extends EventType>(
  tx: Tx,
  event: NewEvent<Type>,
): Promise<EventEnvelope<Type>> {
  EVENT_CATALOGUE[event.type].data.parse(event.data);
  const { at, endpoints } = await nextMoment(tx, event);
  const envelope: EventEnvelope<Type> = {
    id: newId('event'),
    type: event.type,
    created_at: at,
    user_id: event.accountId,
    data: event.data,
  };
  await insertEvent(tx, event.subject, envelope, endpoints);
  return envelope;
}

/**
 * Takes the event's time, and the endpoints it goes to. The upsert locks the subject's row before
 * the clock is read, so that `created_at` agrees with the order in which a subject's changes are
 * committed, and is later than the subject's last one even if the clock went back (spec §6.2).
 */
async function nextMoment(tx: Tx, event: { accountId: string; type: string; subject: string }) {
  const [row] = await tx.execute(sql`
    with moment as (
      insert into event_subjects as s (account_id, subject, last_event_at)
      values (${event.accountId}, ${event.subject}, clock_timestamp())
      on conflict (account_id, subject) do update
        set last_event_at = greatest(clock_timestamp(), s.last_event_at + interval '1 microsecond')
      returning last_event_at
    )
    select
      to_char(last_event_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
      coalesce(
        (select json_agg(json_build_object('id', id, 'state', state))
         from endpoints
         where account_id = ${event.accountId} and state <> 'deleted'
           and ${event.type} = any (event_types)),
        '[]') as endpoints
    from moment`);
  return momentAndEndpoints.parse(row);
}

async function insertEvent(
  tx: Tx,
  subject: string,
  envelope: EventEnvelope,
  endpoints: { id: string; state: EndpointState }[],
): Promise<void> {
  const { id, type, created_at, user_id } = envelope;
  const deliveries = endpoints.map((endpoint) => ({
    id: newId('delivery'),
    endpoint_id: endpoint.id,
    skip_reason: skipReason({ state: endpoint.state, eventTypes: [type] }, automatic(type)) ?? null,
  }));
  const toStart = deliveries.some((delivery) => delivery.skip_reason === null);
  await tx.execute(sql`
    with event as (
      insert into events (id, account_id, type, subject, created_at, body)
      values (${id}, ${user_id}, ${type}, ${subject}, ${created_at}, ${encodeBody(envelope)})
    ), fan_out as (
      insert into deliveries (id, account_id, event_id, event_type, event_at, endpoint_id, state,
                              skip_reason, next_attempt_at, expected_at, finished_at)
      select d.id, ${user_id}, ${id}, ${type}, ${created_at}, d.endpoint_id,
             case when d.skip_reason is null then 'pending' else 'skipped' end, d.skip_reason,
             case when d.skip_reason is null then now() end,
             case when d.skip_reason is null then now() end,
             case when d.skip_reason is null then null else now() end
      from json_to_recordset(${JSON.stringify(deliveries)}::json)
        as d (id text, endpoint_id text, skip_reason text)
    ), queued as (
      insert into outbox (key, task, account_id, subject_id)
      select ${deliveryWorkflowId(id)}, 'event', ${user_id}, ${id} where ${toStart}
    )
    select pg_notify(${OUTBOX_CHANNEL}, '') where ${toStart}`);
}

function automatic(eventType: EventType) {
  return { kind: 'automatic', eventType } as const;
}
