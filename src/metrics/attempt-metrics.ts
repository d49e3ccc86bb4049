import { Counter, Histogram, type Registry } from 'prom-client';
import type { AttemptError } from '../domain/attempt-error.ts';
import { DELIVERY_KINDS, type DeliveryKind } from '../domain/delivery.ts';
import { resultLabel } from './result-label.ts';

/** An attempt that was made, as far as it is measured. */
export interface AttemptObservation {
  kind: DeliveryKind;
  /** 1 for the first attempt. */
  number: number;
  /** The event's created_at. */
  eventAt: string;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: AttemptError | null;
}

/** Counts and times the attempts of this process. */
export function createAttemptMetrics(registry: Registry): (attempt: AttemptObservation) => void {
  const registers = [registry];
  const attempts = new Counter({
    name: 'lead_events_attempts_total',
    help: 'Attempts that this process made, by kind of delivery and by what they came to.',
    labelNames: ['kind', 'result'],
    registers,
  });
  const duration = new Histogram({
    name: 'lead_events_attempt_duration_seconds',
    help: 'How long attempts took, from DNS to the last byte of the answer.',
    // Around the usual answers of receivers, and on both sides of the limit of ten seconds.
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 9.5, 11],
    registers,
  });
  const delay = new Histogram({
    name: 'lead_events_first_attempt_delay_seconds',
    help: "From an event's created_at to the start of its first automatic attempt.",
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200],
    registers,
  });
  // There from the beginning: an alert on "no success" must see a 0, not nothing.
  for (const kind of DELIVERY_KINDS) attempts.inc({ kind, result: '2xx' }, 0);

  return ({ kind, number, eventAt, startedAt, durationMs, statusCode, error }) => {
    attempts.inc({ kind, result: resultLabel(error, statusCode) });
    duration.observe(durationMs / 1_000);
    if (kind !== 'automatic' || number !== 1) return;
    // PostgreSQL's clock and ours may differ a little.
    delay.observe(Math.max(0, startedAt.getTime() - Date.parse(eventAt)) / 1_000);
  };
}
