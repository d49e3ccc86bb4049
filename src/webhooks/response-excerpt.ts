import type { Readable } from 'node:stream';

/** How much of a response body is read, in bytes on the wire; the rest changes no verdict. */
const MAX_READ_BYTES = 64 * 1_024;

/** How much of it is kept for the delivery log, in bytes. */
const MAX_KEPT_BYTES = 1_024;

/** What came of reading a response body. */
export interface BodyReading {
  /** The beginning of the body as text. */
  excerpt: string;
  /** Why the body broke off, when it did so before its end and before the cap. */
  error?: unknown;
}

/**
 * Reads a response body to its end or to a cap (64 KB), then lets go of the connection. Nothing is
 * decompressed, so a small bomb stays small. Never rejects.
 */
export async function readExcerpt(body: Readable): Promise<BodyReading> {
  const kept: Buffer[] = [];
  let length = 0;
  body.on('error', () => undefined);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      // A copy, because a slice would hold on to the whole chunk.
      if (length < MAX_KEPT_BYTES) {
        kept.push(Buffer.from(chunk.subarray(0, MAX_KEPT_BYTES - length)));
      }
      length += chunk.length;
      if (length >= MAX_READ_BYTES) break;
    }
    return { excerpt: safeText(Buffer.concat(kept)) };
  } catch (error) {
    return { excerpt: safeText(Buffer.concat(kept)), error };
  }
}

/** Bytes as UTF-8 text that Postgres accepts: no NUL, no half character at the cut. */
function safeText(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: bytes.length === MAX_KEPT_BYTES });
  return text.replaceAll('\0', '');
}
