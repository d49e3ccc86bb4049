import { serveApi, type HttpServer } from '../api/serve.ts';
import { createGuardedClient } from '../db/guarded-client.ts';
import { AppError, unavailable } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { AttemptObservation } from '../metrics/attempt-metrics.ts';
import { createMetrics, SCRAPE_LIMIT_MS } from '../metrics/metrics.ts';
import { readRecordCounts } from '../metrics/record-counts.ts';
import { readSdkMetrics } from '../metrics/sdk-metrics.ts';
import type { Stack } from '../stack.ts';
import { createOperations } from './app.ts';
import { checkReadiness, NOT_STARTED, type DeliveryCheck } from './readiness.ts';

/** Below the limits of what is asked over it, so that it is free again when they are reached. */
const ANSWER_MS = SCRAPE_LIMIT_MS - 200;

export interface OperationsOptions {
  host: string;
  port: number;
  databaseUrl: string;
  log: Logger;
  /** Where the SDK serves its metrics, in a process with a worker. */
  sdkPort?: number;
}

/** The operations server of a process, which lives as long as the process. */
export interface Operations {
  url: string;
  /** Counts an attempt of the worker. */
  observe(attempt: AttemptObservation): void;
  /** Tells where the worker is asked after; until then it is starting. */
  watch(delivering: { check: () => Promise<DeliveryCheck> }): void;
}

/**
 * Serves the metrics and the health of a process. It has database connections of its own: what
 * holds all the others up must not look like a database that is away.
 */
export async function startOperations(
  options: OperationsOptions,
  opened: Stack,
): Promise<Operations> {
  const { host, port, databaseUrl, log, sdkPort } = options;
  const sql = createGuardedClient(databaseUrl, {
    ...{ max: 2, applicationName: 'lead-events operations' },
    ...{ connectTimeoutMs: ANSWER_MS, answerTimeoutMs: ANSWER_MS, statementTimeoutMs: ANSWER_MS },
  });
  opened.push(() => sql.end({ timeout: 1 }));
  const metrics = createMetrics({
    readCounts: () => readRecordCounts(sql),
    ...(sdkPort !== undefined && { readSdk: () => readSdkMetrics(sdkPort, SCRAPE_LIMIT_MS) }),
  });
  let checkDelivery = (): Promise<DeliveryCheck> => Promise.resolve(NOT_STARTED);
  const app = createOperations({
    ...{ log, metrics },
    checkReadiness: () =>
      checkReadiness(() => sql`select 1`, sdkPort === undefined ? undefined : checkDelivery),
  });
  const server = await serve();
  opened.push(server.close);
  return {
    url: `http://${host}:${server.port}`,
    observe: metrics.observe,
    watch: ({ check }) => (checkDelivery = check),
  };

  async function serve(): Promise<HttpServer> {
    try {
      return await serveApi(app, host, port);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw unavailable(
        `Port ${port} on ${host} is taken; set METRICS_PORT to another, or 0 for a free one.`,
      );
    }
  }
}
