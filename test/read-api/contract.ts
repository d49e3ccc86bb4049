import { request } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createKey } from '../../src/api-keys/create-key.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { startTestApi } from '../support/read-api.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

export type Json = Record<string, unknown>;

export interface Answer<Body = Json> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Whoever holds keys of one account. */
export interface Caller {
  accountId: string;
  /** Asks with a key that has not used up its limit. */
  get<Body = Json>(path: string): Promise<Answer<Body>>;
  /** Asks for what has to be there. */
  ok<Body = Json>(path: string): Promise<Body>;
}

/** The HTTP server on a database of its own; every answer is held against the OpenAPI document. */
export interface Contract {
  records: TestRecords;
  url: string;
  document: OpenApi;
  /** `<path> <status>` of every answer so far of a route in the document. */
  met: Set<string>;
  newCaller(plan?: Plan): Promise<Caller>;
  newKey(accountId: string): Promise<string>;
  get<Body = Json>(path: string, key?: string, method?: string): Promise<Answer<Body>>;
  close(): Promise<void>;
}

interface MediaType {
  schema: Json;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Json[];
  parameters?: { name: string; in: string; description?: string; required: boolean }[];
  responses: Record<
    string,
    {
      headers: Record<string, { required?: boolean; schema: Json }>;
      content: { 'application/json': MediaType };
    }
  >;
}

export interface OpenApi {
  openapi: string;
  paths: Record<string, { get: Operation }>;
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': MediaType } } } }
  >;
  components: Json;
}

/** Requests after which a key is replaced, well below the limit. */
const REQUESTS_OF_A_KEY = 100;

export async function startContract(): Promise<Contract> {
  const records = await createTestRecords();
  const api = await startTestApi(records);
  const document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenApi;
  const validate = documentValidator(document);
  const met = new Set<string>();
  const newKey = async (accountId: string) =>
    (await createKey({ db: records.db, actor: 'test' }, { accountId, name: 'test' })).key;

  async function get<Body = Json>(path: string, key?: string, method = 'GET') {
    const answer = await ask(api.url, path, {
      method,
      ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    });
    const template = templateOf(document, path);
    if (template && method === 'GET') {
      met.add(`${template} ${answer.status}`);
      checkAnswer(document, validate, template, answer);
    }
    return answer as Answer<Body>;
  }

  let accounts = 0;
  return {
    ...{ records, url: api.url, document, met, newKey, get },
    async newCaller(plan = 'elite') {
      const email = `caller${(accounts += 1)}@example.com`;
      const { id: accountId } = await createAccount(records.db, { email, plan });
      let key = '';
      let used = REQUESTS_OF_A_KEY;
      const withKey = async <Body>(path: string) => {
        if ((used += 1) > REQUESTS_OF_A_KEY) [key, used] = [await newKey(accountId), 1];
        return get<Body>(path, key);
      };
      return {
        ...{ accountId, get: withKey },
        async ok<Body>(path: string) {
          const { status, body } = await withKey<Body>(path);
          expect({ status, body }).toMatchObject({ status: 200 });
          return body;
        },
      };
    },
    async close() {
      await api.close();
      await records.close();
    },
  };
}

/** Sends the path exactly as it stands: fetch would tidy it up. */
export async function ask(
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const headers = new Headers(
          Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
        );
        const isJson = text !== '' && headers.get('content-type')?.startsWith('application/json');
        const body = isJson ? (JSON.parse(text) as Json) : { text };
        resolve({ status: response.statusCode ?? 0, headers, body });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The route of the document that answers a path, if there is one. */
function templateOf(document: OpenApi, path: string): string | undefined {
  const [plain = ''] = path.split('?');
  const templates = Object.keys(document.paths);
  return (
    templates.find((template) => template === plain) ??
    templates.find((template) => {
      const pattern = template.replaceAll(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(plain);
    })
  );
}

export type Validate = (schema: Json, value: unknown) => string[];

/** Checks values against schemas of the document, and refuses every field that it does not name. */
export function documentValidator({ components }: OpenApi): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const compiled = new Map<Json, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(strict({ ...schema, components }) as Json);
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, strict(v)]));
  const closed = 'properties' in schema && !('additionalProperties' in schema);
  return closed ? { ...members, additionalProperties: false } : members;
}

function checkAnswer(
  { paths }: OpenApi,
  validate: Validate,
  template: string,
  { status, headers, body }: Answer,
) {
  const response = paths[template]?.get.responses[status];
  expect(response, `${template} answers ${status}, which is not documented`).toBeDefined();
  if (!response) return;
  const faults = validate(response.content['application/json'].schema, body);
  expect(faults, `${template} ${status}`).toEqual([]);
  for (const [name, { required }] of Object.entries(response.headers)) {
    if (required) expect(headers.has(name), `${template} ${status} has ${name}`).toBe(true);
  }
}

/** An error's answer without what differs from request to request; its id is in the header too. */
export function errorOf({ status, headers, body }: Answer<Json>): Json {
  const { request_id: requestId, ...others } = body;
  expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
  expect(headers.get('x-request-id')).toBe(requestId);
  expect(headers.get('content-type')).toBe('application/json');
  return { status, ...others };
}
