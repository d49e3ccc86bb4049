import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Logger } from '../log.ts';
import { onError, onNotFound, type ApiEnv } from './on-error.ts';

export interface ApiDependencies {
  log: Logger;
  /** Resolves when the database answers. */
  ping: () => Promise<unknown>;
}

/** The HTTP server's routes. Every answer is JSON and carries X-Request-Id (spec §4). */
export function createApi({ log, ping }: ApiDependencies): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.use(async (context, next) => {
    context.set('requestId', `req_${randomUUID().replaceAll('-', '')}`);
    context.header('X-Request-Id', context.var.requestId);
    await next();
  });
  app.onError(onError(log));
  app.notFound(onNotFound);
  app.get('/healthz', (context) => context.json({ ok: true }));
  app.get('/readyz', async (context) => {
    try {
      await ping();
      return context.json({ ok: true, database: 'ok' });
    } catch {
      return context.json({ ok: false, database: 'unreachable' }, 503);
    }
  });
  return app;
}
