import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestId } from './request-id.ts';

/*
 * What never becomes a request of the app's is answered in the shape that all errors have (spec §4:
 * all responses are JSON), and the connection ends: where a next request would begin is unknown.
 */

/** What Node's HTTP parser says, and what it means. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: refusal(
    431,
    'too_large',
    'The URL and the headers are longer than 16 kB together.',
  ),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusal(
    413,
    'too_large',
    'The extensions of a chunk are too long.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: refusal(408, 'request_timeout', 'The request did not arrive in time.'),
};
const MALFORMED = refusal(400, 'bad_request', 'This is not a well-formed HTTP request.');
const NO_TUNNEL = refusal(405, 'method_not_allowed', 'This server is no proxy.');
const UNEXPECTED = refusal(417, 'expectation_failed', 'Expect: only 100-continue is understood.');
const BAD_TARGET = refusal(400, 'bad_request', 'The URL or the Host header is malformed.');

interface Refusal {
  status: number;
  error: string;
  message: string;
}

function refusal(status: number, error: string, message: string): Refusal {
  return { status, error, message };
}

/** For a server's `clientError`: bytes that are no HTTP. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  end(socket, REFUSALS[error.code ?? ''] ?? MALFORMED);
}

/** For a server's `connect`: somebody takes it for a proxy. */
export function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  end(socket, NO_TUNNEL);
}

/** For a server's `checkExpectation`. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = answerOf(UNEXPECTED);
  response.writeHead(status, headers).end(body);
}

/** For a request whose URL cannot be made out. */
export function refuseTarget(): Response {
  const { status, headers, body } = answerOf(BAD_TARGET);
  return new Response(body, { status, headers });
}

function answerOf({ status, error, message }: Refusal) {
  const id = requestId();
  const body = JSON.stringify({ error, message, request_id: id });
  const headers = {
    ...{ 'X-Request-Id': id, 'Content-Type': 'application/json' },
    ...{ 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' },
  };
  return { status, headers, body };
}

function end(socket: Duplex, refused: Refusal): void {
  const { status, headers, body } = answerOf(refused);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields].join('\r\n');
  socket.end(`${head}\r\n\r\n${body}`);
}
