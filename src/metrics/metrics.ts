import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { within } from '../within.ts';
import { createAttemptMetrics, type AttemptObservation } from './attempt-metrics.ts';
import type { RecordCounts } from './record-counts.ts';
import { createRecordGauges } from './record-gauges.ts';
import { share } from './share.ts';

/** What is asked for a scrape gets so long; Prometheus itself gives up after ten seconds. */
export const SCRAPE_LIMIT_MS = 3_000;

/** However often it is scraped, the records are counted no more often than this. */
const COUNTS_KEPT_MS = 5_000;

export interface MetricsSources {
  readCounts: () => Promise<RecordCounts>;
  /** The SDK's own metrics as text; undefined in a process without a worker. */
  readSdk?: (() => Promise<string>) | undefined;
}

export interface Metrics {
  contentType: string;
  /** All metrics of this process as Prometheus reads them; whatever is away, there is an answer. */
  text(): Promise<string>;
  /** Counts an attempt of this process's worker. */
  observe(attempt: AttemptObservation): void;
}

/** The metrics of one process, on registries of their own. */
export function createMetrics({ readCounts, readSdk }: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const records = createRecordGauges();
  const counts = share(() => within(SCRAPE_LIMIT_MS, readCounts()), COUNTS_KEPT_MS);
  const up = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const databaseUp = up(
    'lead_events_database_up',
    'Whether the database answered; without it nothing is said of the records.',
  );
  const sdkUp =
    readSdk &&
    up('lead_events_sdk_metrics_up', 'Whether the metrics of the Temporal SDK are here.');
  const observe = readSdk ? createAttemptMetrics(registry) : () => undefined;

  return {
    contentType: registry.contentType,
    observe,
    async text() {
      const [known, sdk] = await Promise.all([
        counts().catch(() => undefined),
        readSdk?.().catch(() => undefined),
      ]);
      databaseUp.set(known ? 1 : 0);
      sdkUp?.set(sdk === undefined ? 0 : 1);
      if (known) records.set(known);
      const parts = [await registry.metrics(), known && (await records.registry.metrics()), sdk];
      return parts.map((part) => part && ensureEnd(part)).join('');
    },
  };
}

/** Two texts are one when each line is ended. */
function ensureEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
