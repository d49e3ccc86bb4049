import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { reply, startReceiver } from '../support/bad-receiver.ts';
import { bodyOf, headersOf, sendTo } from './sending.ts';

const SECRET = 'whsec_4eC39HqLyjWDarjtT1zdp7dcMfR8Kq2TnVxYbZ0aLsW';
const AT = new Date('2026-03-01T12:34:56.789Z');
const TIMESTAMP = '1772368496';

/** The digest as the `openssl` command computes it, knowing nothing of our code. */
function opensslHmac(key: string, message: Buffer): string {
  const options = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt'];
  const hexKey = `hexkey:${Buffer.from(key, 'utf8').toString('hex')}`;
  const printed = execFileSync('openssl', [...options, hexKey], { input: message }).toString();
  return printed.trim().split(' ').at(-1) ?? '';
}

function sign(body: Buffer, secret = SECRET) {
  return signatureHeaders({
    eventId: 'evt_0197',
    eventType: 'lead.entered_hot',
    secret,
    body,
    at: AT,
  });
}

describe('signature headers', () => {
  it.each([
    ['plain JSON', '{"id":"evt_1","score":91}'],
    ['UTF-8 beyond ASCII', '{"owner_name":"Zoë Muñoz — 東京 🏡"}'],
    ['escaped slashes', '{"deal_url":"https:\\/\\/app.example.com\\/d\\/1"}'],
    ['escaped code points', '{"city":"S\\u00e3o Paulo"}'],
    ['line ends and trailing space', '{\r\n  "a": 1\n} \n'],
    ['an empty body', ''],
  ])('match what openssl computes for %s', (_name, text) => {
    const body = Buffer.from(text, 'utf8');
    const expected = opensslHmac(SECRET, Buffer.concat([Buffer.from(`${TIMESTAMP}.`), body]));
    expect(sign(body)).toEqual({
      'X-SVC-Event-Id': 'evt_0197',
      'X-SVC-Event-Type': 'lead.entered_hot',
      'X-SVC-Timestamp': TIMESTAMP,
      'X-SVC-Signature': `v1=${expected}`,
    });
    expect(expected).toMatch(/^[0-9a-f]{64}$/);
  });

  it('match a vector computed once and for all', () => {
    // printf '1772368496.{"id":"evt_1"}' | openssl dgst -sha256 -hmac "$SECRET"
    const headers = sign(Buffer.from('{"id":"evt_1"}'));
    expect(headers['X-SVC-Signature']).toBe(
      'v1=26c2bdb594f681f7b06be01ad86c27d55aa7736689998feb6bf8fbe9d83ff628',
    );
  });

  it('sign bytes that are no valid UTF-8 as they are', () => {
    const body = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
    const expected = opensslHmac(SECRET, Buffer.concat([Buffer.from(`${TIMESTAMP}.`), body]));
    expect(sign(body)['X-SVC-Signature']).toBe(`v1=${expected}`);
  });

  it('use the whole text of the secret, prefix included, as the key', () => {
    const body = Buffer.from('{}');
    const withoutPrefix = sign(body, SECRET.replace('whsec_', ''));
    expect(sign(body)['X-SVC-Signature']).not.toBe(withoutPrefix['X-SVC-Signature']);
  });

  it('cover exactly the bytes that reach a receiver', async () => {
    const receiver = await startReceiver(reply(200));
    const body = Buffer.from('{"why":"a \\/ b — ü 🏡","n":1.0,  "x":[ ]}\n', 'utf8');
    const result = await sendTo(receiver, { headers: sign(body), body });
    expect(result.ok).toBe(true);

    const [request] = receiver.requests;
    const headers = headersOf(request);
    const received = bodyOf(request);
    expect(received.equals(body)).toBe(true);
    const signed = Buffer.concat([Buffer.from(`${headers.get('x-svc-timestamp')}.`), received]);
    expect(headers.get('x-svc-signature')).toBe(`v1=${opensslHmac(SECRET, signed)}`);
    expect(headers.get('content-length')).toBe(String(body.length));
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('user-agent')).toBe('lead-events-test');
    await receiver.close();
  });
});
