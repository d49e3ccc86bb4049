import { webcrypto } from 'node:crypto';
import type { Received } from '../support/receiver.ts';

/** How far a timestamp may be from the present, in seconds (spec §8). */
const TOLERANCE_S = 300;

/**
 * Verifies a request as a customer's own code would, from the specification alone (spec §5.2);
 * shares nothing with the code that signs. Answers why the request is refused, if it is.
 */
export async function verifyReceipt(
  { headers, body }: Received,
  secret: string,
  nowS = Date.now() / 1_000,
): Promise<'accepted' | 'bad signature' | 'too old'> {
  const timestamp = String(headers['x-svc-timestamp']);
  const [, digest] = /^v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature'])) ?? [];
  if (!digest || !/^\d{10}$/.test(timestamp)) return 'bad signature';
  const key = await webcrypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  const genuine = await webcrypto.subtle.verify('HMAC', key, Buffer.from(digest, 'hex'), signed);
  if (!genuine) return 'bad signature';
  return Math.abs(nowS - Number(timestamp)) <= TOLERANCE_S ? 'accepted' : 'too old';
}
