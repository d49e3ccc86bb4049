import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { AttemptError } from '../domain/attempt-error.ts';
import { AppError } from '../errors.ts';
import { classifyError } from './classify-error.ts';
import {
  createConnectorFactory,
  type ConnectorOptions,
  type ConnectorTestOptions,
} from './connector.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import { parseEndpointUrl } from './endpoint-url.ts';
import { exchange } from './exchange.ts';
import type { SendResult } from './send-result.ts';
import { verdict } from './verdict.ts';

export type { SendResult } from './send-result.ts';

/** What a sender is set up with. */
export interface SenderOptions extends ConnectorOptions {
  /** Hosts of this service, refused as endpoints. */
  ownHosts?: readonly string[] | undefined;
  /** The limit on one attempt in milliseconds, from DNS to the last byte (spec §8: 10,000). */
  timeoutMs: number;
  /** The User-Agent header. */
  userAgent: string;
}

/** One attempt: where to, and exactly what. */
export interface SendRequest {
  url: string;
  /** The signature headers; content type, length and user agent are added. */
  headers: Record<string, string>;
  /** Sent as it is. */
  body: Buffer;
  /** The caller's way to give up. */
  signal?: AbortSignal | undefined;
}

/** Sends attempts; see {@link createSender}. */
export interface Sender {
  /** Makes one attempt; what the receiver, its URL or DNS do is in the result, never thrown. */
  send(request: SendRequest): Promise<SendResult>;
  /** Waits for the attempts under way; later ones are refused. */
  close(): Promise<void>;
}

/**
 * Creates what POSTs events to endpoints: one request per attempt, to public addresses only, under
 * one time limit, without redirects (spec §4.1, §6.2, §8). `send` throws only for mistakes of the
 * caller, for faults of this machine such as no file handles left, and the caller's signal's
 * reason when that ends an attempt whose outcome is then unknown.
 */
export function createSender(options: SenderOptions, testOptions?: ConnectorTestOptions): Sender {
  const policy = { devOrigins: options.devOrigins, ownHosts: options.ownHosts ?? [] };
  const connectors = createConnectorFactory(options, testOptions);
  const underWay = new Set<Promise<SendResult>>();
  let closed = false;

  async function attempt(request: SendRequest, deadline: Deadline): Promise<SendResult> {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    const fail = (error: AttemptError): SendResult => ({
      ok: false,
      error,
      statusCode: null,
      durationMs: elapsed(),
      responseExcerpt: null,
    });
    const url = readUrl(request.url);
    if (!url) return fail('url_refused');
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': options.userAgent,
      ...request.headers,
    };
    try {
      const sent = { headers, body: request.body };
      const answer = await exchange(url, sent, connectors, deadline.signal);
      const { error } = answer;
      const bodyError = error === undefined ? undefined : reasonFor(error, request, deadline);
      return verdict(answer, bodyError, url, elapsed());
    } catch (error) {
      return fail(reasonFor(error, request, deadline));
    }
  }

  function readUrl(raw: string): URL | undefined {
    try {
      return parseEndpointUrl(raw, policy);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  return {
    async send(request) {
      if (closed) throw new Error('The sender is closed.');
      checkHeaders(request.headers);
      request.signal?.throwIfAborted();
      const deadline = startDeadline(options.timeoutMs, request.signal);
      const work = attempt(request, deadline).finally(() => deadline.clear());
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}

/** The reason for the log, or the error thrown on when it says nothing about the receiver. */
function reasonFor(error: unknown, request: SendRequest, deadline: Deadline): AttemptError {
  if (deadline.isPast) return 'timeout';
  request.signal?.throwIfAborted();
  const reason = classifyError(error);
  if (!reason) throw error;
  return reason;
}

function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
}
