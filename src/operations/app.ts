import { Hono } from 'hono';
import { onError, onNotFound, type ApiEnv } from '../api/on-error.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from './readiness.ts';

export interface OperationsDependencies {
  log: Logger;
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  checkReadiness: () => Promise<Readiness>;
}

/** What the machinery around a process asks it: Prometheus, and who starts and stops it. */
export function createOperations(dependencies: OperationsDependencies): Hono<ApiEnv> {
  const { log, metrics, checkReadiness } = dependencies;
  const app = new Hono<ApiEnv>();
  app.onError(onError(log));
  app.notFound(onNotFound);
  app.get('/metrics', async (context) =>
    context.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );
  app.get('/healthz', (context) => context.json({ ok: true }));
  app.get('/readyz', async (context) => {
    const readiness = await checkReadiness();
    return context.json(readiness, readiness.ok ? 200 : 503);
  });
  return app;
}
