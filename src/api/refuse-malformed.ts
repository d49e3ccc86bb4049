import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { requestId } from './request-id.ts';

/** What Node's HTTP parser says about a request that never becomes one. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The URL and the headers are longer than 16 kB together.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};
const MALFORMED = [400, 'This is not a well-formed HTTP request.'] as const;

const CODES: Readonly<Record<number, string>> = {
  408: 'request_timeout',
  413: 'too_large',
  431: 'too_large',
};

/**
 * Answers what is not HTTP in the shape that all errors have (spec §4: all responses are JSON), and
 * ends the connection: where a next request would begin is unknown. To be told of a server's
 * `clientError`.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = REFUSALS[error.code ?? ''] ?? MALFORMED;
  const id = requestId();
  const body = JSON.stringify({ error: CODES[status] ?? 'bad_request', message, request_id: id });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
