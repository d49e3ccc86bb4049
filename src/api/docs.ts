import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Hono } from 'hono';
import { EVENT_CATALOGUE, EVENT_TYPES } from '../events/catalogue.ts';

/** The files of the reference page, which come with our package: nothing is loaded from elsewhere. */
const FILES = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
} as const;

const SCRIPT = `window.addEventListener('load', () => {
  window.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#page', deepLinking: true, persistAuthorization: false });
});`;

export interface DocsDependencies {
  serviceName: string;
  /** The OpenAPI document. */
  document: { paths?: Record<string, unknown> };
}

/** What explains the Read API: the document, a page that shows it, and a text for language models. */
export function createDocs({ serviceName, document }: DocsDependencies): Hono {
  const app = new Hono();
  app.get('/openapi.json', (context) => context.json(document));
  app.get('/docs', (context) => {
    context.header(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    );
    return context.html(page(serviceName));
  });
  app.get('/docs/start.js', (context) =>
    context.body(SCRIPT, 200, { 'content-type': 'text/javascript' }),
  );
  for (const [file, type] of Object.entries(FILES)) {
    app.get(`/docs/${file}`, async (context) =>
      context.body(await readFile(pathOf(file), 'utf8'), 200, {
        'content-type': type,
        'cache-control': 'public, max-age=3600',
      }),
    );
  }
  app.get('/llms.txt', (context) => context.text(llmsText(serviceName, document)));
  return app;
}

function pathOf(file: string): string {
  return createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`);
}

function page(serviceName: string): string {
  const title = `${serviceName} Read API`.replaceAll(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</head>
<body><div id="page"></div></body>
</html>
`;
}

/** What the service is, in a page that a language model can read at once. */
function llmsText(serviceName: string, { paths = {} }: DocsDependencies['document']): string {
  const routes = Object.entries(paths).map(([path, item]) => {
    const { get } = item as { get?: { summary?: string } };
    return `- GET ${path}: ${get?.summary ?? ''}`;
  });
  const events = EVENT_TYPES.map((type) => `- ${type}: ${EVENT_CATALOGUE[type].description}`);
  return `# ${serviceName}

> Signed webhooks for real-estate leads, deals, orders and postcard campaigns, and a read-only JSON API over the same records.

Every request needs \`Authorization: Bearer svc_live_…\`. A key may make 120 requests in any 60 seconds (429 with Retry-After beyond). Errors are \`{ "error": code, "message": text, "request_id": id }\`.

## Routes

${routes.join('\n')}

## Events

${events.join('\n')}

Each is a POST with the headers X-SVC-Event-Id, X-SVC-Event-Type, X-SVC-Timestamp and X-SVC-Signature (\`v1=\` and the hexadecimal HMAC-SHA-256, keyed with the endpoint's secret, of the timestamp, a dot and the raw body). Delivery is at least once; apply the event with the newest created_at.

## More

- [OpenAPI 3.1 document](/openapi.json)
- [Reference](/docs)
`;
}
