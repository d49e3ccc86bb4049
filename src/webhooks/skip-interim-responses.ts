import type { Socket } from 'node:net';
import { AttemptFailure } from './attempt-failure.ts';

/** A status line of 1xx other than 101, which would change the protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const STATUS_LINE_START = 'HTTP/1.1 100'.length;
const END_OF_HEADERS = '\r\n\r\n';

/** How much a receiver may say in interim responses before it is cut off, in bytes. */
const MAX_INTERIM_BYTES = 64 * 1_024;

/**
 * Lets the reader of a socket see the final response only: 1xx responses before it are dropped.
 * Needed because undici gives up on `100 Continue`, which receivers may send unasked. More than
 * 64 KB of them destroys the socket as an invalid response.
 */
export function skipInterimResponses(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let held: Buffer = Buffer.alloc(0);
  let seen = 0;

  socket.read = (size?: number): Buffer | null => {
    // Streams read nothing to make themselves fetch more; that takes no data.
    if (size === 0) return read(0);
    for (let chunk = read(size); chunk !== null; chunk = read(size)) {
      seen += chunk.length;
      held = withoutInterim(Buffer.concat([held, chunk]));
      if (held.length >= STATUS_LINE_START && !startsInterim(held)) {
        Reflect.deleteProperty(socket, 'read');
        return held;
      }
      if (seen > MAX_INTERIM_BYTES) {
        socket.destroy(new AttemptFailure('response_invalid'));
        return null;
      }
    }
    return null;
  };
}

/** What remains after every interim response that is complete. */
function withoutInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (startsInterim(rest)) {
    const end = rest.indexOf(END_OF_HEADERS);
    if (end === -1) break;
    rest = rest.subarray(end + END_OF_HEADERS.length);
  }
  return rest;
}

function startsInterim(bytes: Buffer): boolean {
  return INTERIM.test(bytes.toString('latin1', 0, STATUS_LINE_START));
}
