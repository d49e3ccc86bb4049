import { createHmac } from 'node:crypto';
import { and, eq, like } from 'drizzle-orm';
import { Client, Connection } from '@temporalio/client';
import {
  attempts,
  auditLog,
  deliveries,
  endpoints,
  events,
  mails,
  outbox,
} from '../../drizzle/schema.ts';
import { SERVICE_ACTOR } from '../../src/audit/audit-log.ts';
import { healthState } from '../../src/domain/health.ts';
import { healthWorkflowId } from '../../src/domain/workflow-id.ts';
import { healthQuery } from '../../workflows/contract.ts';
import type { Hook, Request } from './behaviour.ts';
import type { Outage, World } from './world.ts';

/** An endpoint with the receiver's own record of it. */
export interface Watched {
  endpointId: string;
  accountId: string;
  secret: string;
  hook: Hook;
}

/** From an answer to its record in Postgres, at the longest, on a machine that is busy. */
const RECORDING_MS = 2_000;
/** For so long after Temporal's death it may take an attempt for lost that is not (heartbeats). */
const DOUBT_MS = 12_000;

/**
 * Compares what Postgres says with what the receiver saw, endpoint by endpoint, when nobody but the
 * service has paused any. Answers every contradiction in words; an empty list means that all is well.
 */
export async function contradictions(world: World, watched: Watched[]): Promise<string[]> {
  const found = await deliveryContradictions(world, watched);
  for (const endpoint of watched) found.push(...(await healthContradictions(world, endpoint)));
  return found;
}

/** The same of deliveries and workflows alone, whatever was done to the endpoints meanwhile. */
export async function deliveryContradictions(world: World, watched: Watched[]): Promise<string[]> {
  const { db } = world.records;
  const found: string[] = [];
  const queued = await db.select().from(outbox);
  if (queued.length > 0) found.push(`${queued.length} tasks are left in the outbox`);
  for (const endpoint of watched) found.push(...(await contradictionsOf(world, endpoint)));
  found.push(...(await workflowContradictions(world, watched)));
  return found;
}

async function contradictionsOf(world: World, watched: Watched): Promise<string[]> {
  const { db } = world.records;
  const { endpointId, hook } = watched;
  const found: string[] = [];
  const rows = await db
    .select({ delivery: deliveries, body: events.body })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(eq(deliveries.endpointId, endpointId));
  const made = await db
    .select({ attempt: attempts, eventId: deliveries.eventId })
    .from(attempts)
    .innerJoin(deliveries, eq(deliveries.id, attempts.deliveryId))
    .where(eq(deliveries.endpointId, endpointId));
  const bodies = new Map(rows.map(({ delivery, body }) => [delivery.eventId ?? '', body]));

  for (const { delivery } of rows) {
    const { id, eventId, state } = delivery;
    const seen = hook.requests.filter((request) => request.eventId === eventId);
    const told = `${hook.behaviour} ${endpointId}: ${id} is ${state}`;
    if (delivery.finishedAt === null) found.push(`${told}, not final`);
    const accepted = seen.filter(isAccepted);
    if (state === 'delivered' && accepted.length === 0) {
      found.push(`${told}, but the receiver never accepted it`);
    }
    const unexplained = accepted.filter((request) => !explained(request, world.outages));
    const anyDelivered = rows.some(
      (row) => row.delivery.eventId === eventId && row.delivery.state === 'delivered',
    );
    if (!anyDelivered && unexplained.length > 0) {
      found.push(`${told}, but the receiver accepted it, and no outage explains that`);
    }
  }
  for (const [eventId, body] of bodies) {
    const seen = hook.requests.filter((request) => request.eventId === eventId);
    const recorded = made.filter((row) => row.eventId === eventId).length;
    const extra = seen.length - recorded;
    const explicable = seen.filter((request) => explained(request, world.outages)).length;
    if (extra > explicable) {
      found.push(`${endpointId}: ${eventId} came ${seen.length} times, ${recorded} are recorded`);
    }
    if (extra < 0) found.push(`${endpointId}: ${eventId} was recorded more often than it came`);
    for (const request of seen) {
      if (!request.body.equals(body)) found.push(`${endpointId}: ${eventId} came with other bytes`);
      if (!isGenuine(request, watched.secret)) found.push(`${endpointId}: a wrong signature`);
    }
  }
  for (const { eventId } of hook.requests) {
    if (!bodies.has(eventId)) found.push(`${endpointId}: ${eventId} was none of its events`);
  }
  return found;
}

/** Paused once and mailed once for each pause, and the dead are paused. */
async function healthContradictions(
  { records }: World,
  { endpointId, hook }: Watched,
): Promise<string[]> {
  const { db } = records;
  const found: string[] = [];
  const [endpoint] = await db.select().from(endpoints).where(eq(endpoints.id, endpointId));
  const pauses = await db
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.subjectId, endpointId),
        eq(auditLog.action, 'endpoint.paused'),
        eq(auditLog.actor, SERVICE_ACTOR),
      ),
    );
  const told = await db
    .select()
    .from(mails)
    .where(like(mails.about, `paused:${endpointId}:%`));
  const name = `${hook.behaviour} ${endpointId}`;
  if (pauses.length !== told.length) {
    found.push(`${name}: ${pauses.length} pauses, ${told.length} mails`);
  }
  if (pauses.length > 1) found.push(`${name} was paused ${pauses.length} times`);
  if ((endpoint?.state === 'paused') !== (pauses.length === 1)) {
    found.push(`${name} is ${endpoint?.state} after ${pauses.length} pauses`);
  }
  if (hook.behaviour === 'dead' && pauses.length !== 1) found.push(`${name} was not paused`);
  for (const mail of told) if (!mail.sentAt) found.push(`${name}: its mail was not sent`);
  return found;
}

/** The workflows say what Postgres says, and none has failed. */
async function workflowContradictions(world: World, watched: Watched[]): Promise<string[]> {
  const found: string[] = [];
  const connection = await Connection.connect({ address: world.temporalAddress() });
  try {
    const { workflow } = new Client({ connection });
    for (const { endpointId } of watched) {
      const [row] = await world.records.db
        .select()
        .from(endpoints)
        .where(eq(endpoints.id, endpointId));
      const { health } = await workflow.getHandle(healthWorkflowId(endpointId)).query(healthQuery);
      const expected = row && healthState(row);
      if (health !== expected) found.push(`${endpointId} is ${expected}, Temporal shows ${health}`);
    }
    for (const status of ['Failed', 'TimedOut', 'Terminated'] as const) {
      const { count } = await workflow.count(`ExecutionStatus = '${status}'`);
      if (count > 0) found.push(`${count} workflows are ${status}`);
    }
  } finally {
    await connection.close();
  }
  return found;
}

function isAccepted({ answered }: Request): boolean {
  return answered !== undefined && answered.status >= 200 && answered.status < 300;
}

/**
 * Whether an outage explains that this request is not on record: its worker died before it could
 * write, the connection it wrote through was cut, or Temporal had the attempt made twice because it
 * lost sight of the first.
 */
function explained({ at, answered }: Request, outages: Outage[]): boolean {
  const end = (answered?.at ?? at) + RECORDING_MS;
  return outages.some(({ what, from, to }) =>
    what !== 'Temporal' ? from > at - 100 && from < end : from < end && to + DOUBT_MS > at,
  );
}

function isGenuine({ headers, body }: Request, secret: string): boolean {
  const digest = createHmac('sha256', secret)
    .update(`${String(headers['x-svc-timestamp'])}.`)
    .update(body)
    .digest('hex');
  return headers['x-svc-signature'] === `v1=${digest}`;
}
