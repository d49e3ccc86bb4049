import { subtle } from 'node:crypto';

/*
 * Verification as a customer would write it from the documentation alone: nothing here is shared
 * with the code that signs.
 */

/** How far a timestamp may be from now, in seconds. */
const TOLERANCE = 300;

export type Verdict = { ok: true } | { ok: false; problem: string };

/** Checks one received request: its signature first, in constant time, then its age. */
export async function verify(
  secret: string,
  headers: { signature: string | undefined; timestamp: string | undefined },
  rawBody: Uint8Array,
  now: Date = new Date(),
): Promise<Verdict> {
  const { signature, timestamp } = headers;
  if (!timestamp || !/^\d{1,12}$/.test(timestamp))
    return refuse('X-SVC-Timestamp is missing or wrong');
  const digest = /^v1=([0-9a-f]{64})$/.exec(signature ?? '')?.[1];
  if (!digest) return refuse('X-SVC-Signature is missing or wrong');

  const utf8 = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', utf8.encode(secret), hmac, false, ['verify']);
  const prefix = utf8.encode(`${timestamp}.`);
  const signed = new Uint8Array(prefix.length + rawBody.length);
  signed.set(prefix);
  signed.set(rawBody, prefix.length);
  const claimed = Uint8Array.from(digest.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  // WebCrypto compares in constant time.
  if (!(await subtle.verify('HMAC', key, claimed, signed)))
    return refuse('the signature does not match');

  const age = Math.abs(now.getTime() / 1000 - Number(timestamp));
  return age <= TOLERANCE ? { ok: true } : refuse(`the timestamp is ${Math.round(age)} s off`);
}

function refuse(problem: string): Verdict {
  return { ok: false, problem };
}
