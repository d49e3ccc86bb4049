import type { Socket } from 'node:net';
import { Client, errors, type buildConnector } from 'undici';
import { AttemptFailure } from './attempt-failure.ts';
import type { ConnectorFactory } from './connector.ts';
import { readExcerpt, type BodyReading } from './response-excerpt.ts';
import { skipInterimResponses } from './skip-interim-responses.ts';

/** Largest response header block, in bytes. */
const MAX_HEADER_BYTES = 16 * 1_024;

/** The receiver's answer as far as it came: a status, and what was read of the body. */
export interface Answer extends BodyReading {
  statusCode: number;
  /** The Location header, when there is one. */
  location: string | undefined;
}

/**
 * One POST over one connection of its own, which is closed afterwards (spec §4.1). Redirects are
 * not followed and nothing is repeated. Throws what went wrong before there was a status; what
 * goes wrong after it is part of the answer.
 */
export async function exchange(
  url: URL,
  request: { headers: Record<string, string>; body: Buffer },
  connectors: ConnectorFactory,
  signal: AbortSignal,
): Promise<Answer> {
  const dial = connectors(signal);
  let socket: Socket | undefined;
  const connect: buildConnector.connector = (target, callback) =>
    dial(target, (...outcome) => {
      if (outcome[1]) skipInterimResponses((socket = outcome[1]));
      callback(...outcome);
    });
  // A client per attempt: no pool that could hand a connection from one endpoint to another.
  const client = new Client(url.origin, {
    connect,
    pipelining: 0,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The signal limits the whole attempt; these would only measure parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const posted = client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: request.headers,
      body: request.body,
      reset: true,
      signal,
    });
    const response = await posted.catch(rethrowHeaderFault);
    const { location } = response.headers;
    const reading = await readExcerpt(response.body);
    return {
      statusCode: response.statusCode,
      location: Array.isArray(location) ? location[0] : location,
      ...reading,
      // A body that ends with the connection looks complete to undici even when it was cut off.
      error: reading.error ?? resetOf(socket),
    };
  } finally {
    await client.destroy();
  }
}

/** The reset that ended a connection; undefined when undici closed it after a whole response. */
function resetOf(socket: Socket | undefined): Error | undefined {
  const error: NodeJS.ErrnoException | null | undefined = socket?.errored;
  return error?.code === 'ECONNRESET' ? error : undefined;
}

/** A bad Content-Length is to undici a body cut short; without headers it cannot be one. */
function rethrowHeaderFault(error: unknown): never {
  const isFault = error instanceof errors.ResponseContentLengthMismatchError;
  throw isFault ? new AttemptFailure('response_invalid') : error;
}
