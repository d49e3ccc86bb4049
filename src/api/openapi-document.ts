import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { EVENT_CATALOGUE, EVENT_TYPES } from '../events/catalogue.ts';
import { sampleEvent } from '../events/envelope.ts';
import { VERSION } from '../version.ts';
import type { CallerEnv } from './v1/authenticated.ts';
import { TAGS } from './v1/route.ts';

/**
 * The OpenAPI 3.1 document of the Read API, made of the schemas that validate, with the events as
 * webhooks. It has no servers, so it is good wherever it is served.
 */
export function openApiDocument(app: OpenAPIHono<CallerEnv>, serviceName: string) {
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'A Read API key: `Authorization: Bearer svc_live_…`.',
  });
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: `${serviceName} Read API`,
      version: VERSION,
      description:
        "Read-only access to an account's leads, deals and orders, and the events that its webhook endpoints receive. A key may make 120 requests in any 60 seconds; RateLimit headers say how many are left. Fields are only ever added: ignore those that you do not know.",
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
  return open({ ...document, webhooks: webhooks() });
}

/**
 * The document without `additionalProperties: false`, which our own schemas have: a client that goes
 * by it must take fields that are added later (spec §9). Also without patterns beside a format, which
 * say the same in a way that nobody can read.
 */
function open<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(open) as Value;
  const entries = Object.entries(value).filter(
    ([name, member]) =>
      !(name === 'additionalProperties' && member === false) &&
      !(name === 'pattern' && typeof member === 'string' && 'format' in value),
  );
  return Object.fromEntries(entries.map(([name, member]) => [name, open(member)])) as Value;
}

/** Each event type as what our service sends to an endpoint. */
function webhooks() {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `on.${type}`,
          tags: ['Events'],
          summary: EVENT_CATALOGUE[type].description,
          parameters: signatureParameters(),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: envelopeSchema(type),
                example: sampleEvent(type, 'acct_sample'),
              },
            },
          },
          responses: {
            '2XX': {
              description: 'Taken in. Anything else, or no answer in 10 seconds, is retried.',
            },
          },
        },
      },
    ]),
  );
}

function envelopeSchema(type: (typeof EVENT_TYPES)[number]) {
  const envelope = z.strictObject({
    id: z.string(),
    type: z.literal(type),
    created_at: z.iso.datetime(),
    user_id: z.string(),
    data: EVENT_CATALOGUE[type].data,
  });
  const schema = z.toJSONSchema(envelope);
  delete schema.$schema;
  return schema;
}

function signatureParameters() {
  const headers = {
    'X-SVC-Event-Id': "The event's id, the same in every attempt.",
    'X-SVC-Event-Type': "The event's type.",
    'X-SVC-Timestamp': 'When this attempt was signed, in Unix seconds.',
    'X-SVC-Signature': '`v1=` and the hexadecimal HMAC-SHA-256 of `<timestamp>.<raw body>`.',
  };
  return Object.entries(headers).map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
  }));
}
