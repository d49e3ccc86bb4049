import type { ConnectorTestOptions } from '../../src/webhooks/connector.ts';
import {
  createSender,
  type SenderOptions,
  type SendRequest,
  type SendResult,
} from '../../src/webhooks/send.ts';
import type { Receiver } from '../support/bad-receiver.ts';

/** A limit short enough for tests of what happens at the limit, in milliseconds. */
export const SHORT_LIMIT_MS = 600;

export const SENDER_DEFAULTS: SenderOptions = {
  devOrigins: [],
  timeoutMs: 5_000,
  userAgent: 'lead-events-test',
};

/** Sends one event with a sender of its own. */
export async function sendOnce(
  request: Partial<SendRequest> & { url: string },
  options: Partial<SenderOptions> = {},
  testOptions: ConnectorTestOptions = {},
): Promise<SendResult> {
  const sender = createSender({ ...SENDER_DEFAULTS, ...options }, testOptions);
  try {
    return await sender.send({ headers: {}, body: Buffer.from('{"id":"evt_1"}'), ...request });
  } finally {
    await sender.close();
  }
}

/** Sends one event to a receiver whose origin is let through as for development. */
export function sendTo(
  receiver: Receiver,
  request: Partial<SendRequest> = {},
  options: Partial<SenderOptions> = {},
): Promise<SendResult> {
  const devOrigins = [receiver.origin];
  return sendOnce({ url: `${receiver.origin}/hook?a=1`, ...request }, { devOrigins, ...options });
}

/** The headers of a raw request, by lower-case name. */
export function headersOf(request: Buffer | undefined): Map<string, string> {
  const [head = ''] = (request?.toString('latin1') ?? '').split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
    }),
  );
}

/** The body bytes of a raw request. */
export function bodyOf(request: Buffer | undefined): Buffer {
  if (!request) throw new Error('No request was received.');
  return request.subarray(request.indexOf('\r\n\r\n') + 4);
}
