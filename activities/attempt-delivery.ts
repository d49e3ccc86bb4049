import { asyncLocalStorage } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { Db } from '../src/db/client.ts';
import { expectLater } from '../src/deliveries/expect-later.ts';
import { loadAttempt, type LoadedAttempt } from '../src/deliveries/load-attempt.ts';
import {
  recordAttempt,
  type AfterAttempt,
  type HealthEffect,
} from '../src/deliveries/record-attempt.ts';
import { skipDelivery } from '../src/deliveries/skip-delivery.ts';
import { attemptResult } from '../src/domain/attempt-result.ts';
import {
  countsForHealth,
  scheduleFor,
  skipReason,
  type AttemptOutcome,
  type DeliveryKind,
} from '../src/domain/delivery.ts';
import { afterFailure } from '../src/domain/retry-schedule.ts';
import type { EventType } from '../src/events/catalogue.ts';
import { encodeBody, sampleEvent } from '../src/events/envelope.ts';
import type { AttemptObservation } from '../src/metrics/attempt-metrics.ts';
import type { InFlightLimit } from '../src/webhooks/in-flight-limit.ts';
import { openSecret } from '../src/webhooks/sealed-secret.ts';
import type { Sender, SendResult } from '../src/webhooks/send.ts';
import type { TroubledEndpoints } from '../src/webhooks/troubled-endpoints.ts';
import { signatureHeaders } from '../src/webhooks/sign.ts';

export interface AttemptDependencies {
  db: Db;
  sender: Sender;
  /** Requests in flight, by endpoint id. */
  inFlight: InFlightLimit;
  /** Endpoints that failed or answered slowly the last time. */
  troubled: TroubledEndpoints;
  secretKey: Buffer;
  /** Waits after successive failures, in milliseconds. */
  retrySchedule: readonly number[];
  /** Told of each attempt that was made, for the metrics. */
  observe?: ((attempt: AttemptObservation) => void) | undefined;
}

export interface AttemptInput {
  deliveryId: string;
  endpointId: string;
  /** 1 for the first attempt. */
  number: number;
  /** Whose turn it takes, when it is not the endpoint's. */
  lane?: string;
}

/**
 * How an attempt waits for its turn behind others to its endpoint, before it gives its worker slot
 * back. Timeouts end what hangs after ten seconds, so a lane moves within that.
 */
const PATIENCE = { standstillMs: 15_000, waitMs: 1_000 };

/** The same for a first attempt, which holds up its workflow task meanwhile. */
const SHORT_PATIENCE = { standstillMs: 500, waitMs: 2_000 };

/**
 * Makes one attempt of a delivery and records it. What a receiver does is an outcome, never an
 * error; an error means that this service could not do its part, and Temporal runs it again.
 */
export function createAttemptDelivery(dependencies: AttemptDependencies) {
  return async (input: AttemptInput): Promise<AttemptOutcome> => {
    const outcome = await attemptInTurn(dependencies, input, PATIENCE);
    if (outcome) return outcome;
    const comeBackMs = dependencies.inFlight.comeBackIn(laneOf(input));
    await expectLater(dependencies.db, input.deliveryId, comeBackMs);
    throw ApplicationFailure.create({
      type: 'EndpointBusy',
      message: `${input.endpointId} has as many requests in flight as it may; trying again later.`,
      // It is no fault, and would fill the log.
      category: ApplicationFailureCategory.BENIGN,
      nextRetryDelay: comeBackMs,
    });
  };
}

/**
 * The same for a first attempt inside a workflow task. It is declined (null) for an endpoint that
 * is at its limit, failed the last time or answered slowly: a workflow task must not wait on it.
 */
export function createAttemptAtOnce(dependencies: AttemptDependencies) {
  return async (input: AttemptInput): Promise<AttemptOutcome | null> =>
    dependencies.troubled.has(input.endpointId)
      ? null
      : ((await attemptInTurn(dependencies, input, SHORT_PATIENCE)) ?? null);
}

/** Tests and last attempts have lanes of their own: somebody, or a deadline, waits for them. */
function laneOf({ lane, endpointId }: AttemptInput): string {
  return lane ?? endpointId;
}

/** Attempts when it is this one's turn at the endpoint; undefined when that takes too long. */
function attemptInTurn(
  dependencies: AttemptDependencies,
  input: AttemptInput,
  patience: typeof PATIENCE,
): Promise<AttemptOutcome | undefined> {
  // One that was sent away and comes back goes before those who came after it.
  const since = asyncLocalStorage.getStore()?.info.scheduledTimestampMs ?? Date.now();
  const run = () => attempt(dependencies, input);
  return dependencies.inFlight.run(laneOf(input), { since, ...patience }, run);
}

async function attempt(
  dependencies: AttemptDependencies,
  { deliveryId, number }: AttemptInput,
): Promise<AttemptOutcome> {
  const { db, sender, retrySchedule, secretKey } = dependencies;
  const loaded = await loadAttempt(db, deliveryId, number);
  if (!loaded) throw ApplicationFailure.nonRetryable(`There is no delivery ${deliveryId}.`);
  const { delivery, endpoint } = loaded;
  const schedule = scheduleFor(delivery.kind, retrySchedule);
  const known = knownOutcome(loaded, number, schedule);
  if (known) return known;

  const skip = skipReason(endpoint, delivery);
  if (skip) {
    await skipDelivery(db, delivery.id, skip);
    return { state: 'skipped', reason: skip };
  }

  const { eventId, body } = eventOf(loaded);
  const startedAt = new Date();
  const result = await sender.send({
    url: endpoint.url,
    body,
    headers: signatureHeaders({
      ...{ eventId, eventType: delivery.eventType, body, at: startedAt },
      secret: openSecret(endpoint.sealedSecret, endpoint.id, secretKey),
    }),
  });
  dependencies.troubled.note(endpoint.id, result);
  dependencies.observe?.({
    ...{ kind: delivery.kind, number, eventAt: delivery.eventAt, startedAt },
    ...{ durationMs: result.durationMs, statusCode: result.statusCode },
    error: result.ok ? null : result.error,
  });
  const after = afterAttempt(result, number, schedule);
  const reason = attemptResult(result.ok ? null : result.error, result.statusCode) ?? 'unknown';
  const recordedState = await recordAttempt(
    db,
    {
      deliveryId,
      accountId: delivery.accountId,
      number,
      url: endpoint.url,
      startedAt,
      durationMs: result.durationMs,
      statusCode: result.statusCode,
      error: result.ok ? null : result.error,
      redirectTarget: result.ok ? null : (result.redirectTarget ?? null),
      responseExcerpt: result.responseExcerpt,
    },
    after,
    { effect: healthEffect(delivery.kind, result.ok), era: endpoint.healthEra },
  );
  if (recordedState === after.state) return { ...after, reason };
  // A twin of this attempt was recorded first, or the delivery was ended: that is what counts.
  const current = await loadAttempt(db, deliveryId, number);
  return (current && knownOutcome(current, number, schedule)) ?? { ...after, reason };
}

/** What Postgres knows already: of a finished delivery, or of an attempt whose answer was lost. */
function knownOutcome(
  { delivery, recorded }: LoadedAttempt,
  number: number,
  schedule: readonly number[],
): AttemptOutcome | undefined {
  const reason =
    delivery.skipReason ??
    attemptResult(recorded?.error ?? null, recorded?.statusCode ?? null) ??
    'unknown';
  if (delivery.state !== 'pending' && delivery.state !== 'retrying') {
    return { state: delivery.state, reason };
  }
  return recorded ? { ...afterFailure(schedule, number), reason } : undefined;
}

function afterAttempt(
  result: SendResult,
  number: number,
  schedule: readonly number[],
): AfterAttempt {
  return result.ok ? { state: 'delivered' } : afterFailure(schedule, number);
}

function healthEffect(kind: DeliveryKind, ok: boolean): HealthEffect['effect'] {
  const counts = countsForHealth(kind);
  if (ok) return counts.success ? 'success' : 'none';
  return counts.failure ? 'failure' : 'none';
}

/** What is sent: the event's stored bytes, or for a test the sample of its type. */
function eventOf({ delivery, body }: LoadedAttempt): { eventId: string; body: Buffer } {
  if (delivery.eventId !== null && body !== null) return { eventId: delivery.eventId, body };
  const sample = sampleEvent(delivery.eventType as EventType, delivery.accountId);
  return { eventId: sample.id, body: encodeBody(sample) };
}
