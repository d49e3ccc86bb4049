import { Hono } from 'hono';
import type { Logger } from '../log.ts';
import { within } from '../within.ts';
import { createDocs } from './docs.ts';
import { onError, onNotFound, type ApiEnv } from './on-error.ts';
import { openApiDocument } from './openapi-document.ts';
import { requireHost } from './require-host.ts';
import { withRequestId } from './request-id.ts';
import { unreadBody } from './unread-body.ts';
import { createReadApi, type ReadApiDependencies } from './v1/app.ts';
import { readOnly } from './v1/read-only.ts';

/** Whoever asks whether we are ready waits no longer than a few seconds. */
const READY_WITHIN_MS = 2_000;

export interface ApiDependencies extends ReadApiDependencies {
  log: Logger;
  /** Resolves when the database answers. */
  ping: () => Promise<unknown>;
}

/** The HTTP server's routes. Every answer carries X-Request-Id, and every error is JSON (spec §4). */
export function createApi({ log, ping, db, style }: ApiDependencies): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.use(withRequestId, requireHost, unreadBody);
  app.onError(onError(log));
  app.notFound(onNotFound);
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/llms.txt', '/docs', '/docs/*']) {
    app.use(path, readOnly);
  }
  app.get('/healthz', (context) => context.json({ ok: true }));
  app.get('/readyz', async (context) => {
    try {
      await within(READY_WITHIN_MS, ping());
      return context.json({ ok: true, database: 'ok' });
    } catch {
      return context.json({ ok: false, database: 'unreachable' }, 503);
    }
  });
  const { serviceName } = style;
  const readApi = createReadApi({ db, style });
  const document = openApiDocument(readApi, serviceName);
  app.route('/', createDocs({ serviceName, document }));
  app.use('/v1/*', readOnly);
  app.route('/', readApi);
  return app;
}
