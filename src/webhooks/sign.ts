import { createHmac } from 'node:crypto';

/** What one attempt's signature covers, and the key it is made with. */
export interface SigningInput {
  eventId: string;
  eventType: string;
  /** The endpoint's signing secret, prefix included. */
  secret: string;
  /** The very bytes that go on the wire. */
  body: Buffer;
  /** When this attempt is made; the header carries whole seconds. */
  at: Date;
}

/** The four headers of a delivery, under the names receivers read. */
export interface SignatureHeaders extends Record<string, string> {
  'X-SVC-Event-Id': string;
  'X-SVC-Event-Type': string;
  'X-SVC-Timestamp': string;
  'X-SVC-Signature': string;
}

/**
 * Makes the four headers that prove where an event comes from (spec §5.2, §6.3). The digest is
 * HMAC-SHA256 over the timestamp, a dot and the body's bytes; the key is the whole text of the
 * secret as UTF-8. Every attempt is signed anew, so a retry is never refused for its age.
 */
export function signatureHeaders(input: SigningInput): SignatureHeaders {
  const timestamp = String(Math.floor(input.at.getTime() / 1_000));
  const digest = createHmac('sha256', Buffer.from(input.secret, 'utf8'))
    .update(`${timestamp}.`)
    .update(input.body)
    .digest('hex');
  return {
    'X-SVC-Event-Id': input.eventId,
    'X-SVC-Event-Type': input.eventType,
    'X-SVC-Timestamp': timestamp,
    'X-SVC-Signature': `v1=${digest}`,
  };
}
