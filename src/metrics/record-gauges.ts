import { Gauge, Registry } from 'prom-client';
import { OUTBOX_TASKS } from '../domain/outbox-task.ts';
import type { RecordCounts } from './record-counts.ts';

/** What counts as unfinished, and what an endpoint that is not deleted can be. */
const UNFINISHED_STATES = ['pending', 'retrying'] as const;
const ENDPOINT_HEALTH = ['healthy', 'failing', 'paused'] as const;

/** What is told of the newest rescore: its label, and what it is called in the counts. */
const RESCORE_COUNTS = [
  ['parcels', 'parcels'],
  ['parcels_expected', 'parcelsExpected'],
  ['changed', 'changed'],
  ['events', 'events'],
  ['held_back', 'heldBack'],
] as const;

/** The gauges of how the records stand, which are the same whichever process is asked. */
export interface RecordGauges {
  /** A registry of their own: when nothing is known of the records, nothing is said of them. */
  registry: Registry;
  set(counts: RecordCounts): void;
}

export function createRecordGauges(): RecordGauges {
  const registry = new Registry();
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `lead_events_${name}`, help, labelNames, registers: [registry] });

  const depth = gauge('outbox_depth', 'What Temporal has still to be told.', 'task');
  const refused = gauge(
    'outbox_refused',
    'Of that, what Temporal could not be told at the last try.',
  );
  const oldest = gauge(
    'outbox_oldest_seconds',
    'For how long the longest-waiting row has been free to be claimed by a relay.',
  );
  const unfinished = gauge('deliveries_unfinished', 'Deliveries under way.', 'state');
  const overdue = gauge(
    'deliveries_overdue',
    'Unfinished deliveries of which something should have been heard more than a minute ago.',
  );
  const endpoints = gauge('endpoints', 'Endpoints that are not deleted.', 'health');
  const mails = gauge('mails_unsent', 'Mails to account owners that have not gone yet.');
  const replays = gauge('replays_running', 'Replays under way.');
  const traces = gauge('skip_traces_waiting', 'Skip traces that are paid for and not done.');
  const oldestTrace = gauge(
    'skip_trace_oldest_seconds',
    'For how long the longest-waiting of them has been paid for.',
  );
  const campaigns = gauge(
    'campaigns_overdue',
    'Postcard campaigns whose next step was due more than a minute ago.',
  );
  const rescoring = gauge('rescore_running', 'Whether parcels are being scored anew.');
  const rescoreStarted = gauge(
    'rescore_started_timestamp_seconds',
    'When the newest rescore began; 0 before the first.',
  );
  const rescored = gauge(
    'rescore_counts',
    'What the newest rescore has come to so far, as rescore show tells it.',
    'what',
  );

  return {
    registry,
    set(counts) {
      for (const task of OUTBOX_TASKS) depth.set({ task }, counts.outbox[task] ?? 0);
      for (const state of UNFINISHED_STATES) {
        unfinished.set({ state }, counts.unfinished[state] ?? 0);
      }
      for (const health of ENDPOINT_HEALTH) {
        endpoints.set({ health }, counts.endpoints[health] ?? 0);
      }
      refused.set(counts.outboxRefused);
      oldest.set(counts.outboxOldestSeconds);
      overdue.set(counts.overdue);
      mails.set(counts.mailsUnsent);
      replays.set(counts.replaysRunning);
      traces.set(counts.skipTracesWaiting);
      oldestTrace.set(counts.skipTraceOldestSeconds);
      campaigns.set(counts.campaignsOverdue);
      rescoring.set(counts.rescore?.running ? 1 : 0);
      rescoreStarted.set(counts.rescore?.startedAt ?? 0);
      for (const [what, field] of RESCORE_COUNTS) {
        rescored.set({ what }, counts.rescore?.[field] ?? 0);
      }
    },
  };
}
