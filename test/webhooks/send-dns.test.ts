import { isIPv6 } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeAttemptError } from '../../src/domain/attempt-error.ts';
import { checkEndpointUrl } from '../../src/webhooks/check-endpoint-url.ts';
import type { SenderOptions } from '../../src/webhooks/send.ts';
import { reply, startReceiver, type Receiver } from '../support/bad-receiver.ts';
import { startDnsServer, type DnsRule, type DnsServer } from '../support/dns-server.ts';
import { createTlsCertificates } from '../support/tls-certificates.ts';
import { sendOnce } from './sending.ts';

const HOST = 'hooks.example.com';
const PUBLIC = '8.8.8.8';
const REFUSED = 'address_refused';
/** Loopback too, but taken for public where a test needs to deliver. */
const PRETEND_PUBLIC = '127.0.0.2';

const certificates = createTlsCertificates();
let dns: DnsServer;
/** What must never be reached; `isPublicAddress` proper refuses where it listens. */
let secret: Receiver;

beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.close());
beforeEach(async () => {
  secret = await startReceiver(reply(200, 'inner banner'), { host: '::' });
});
afterEach(() => secret.close());

function send(options: Partial<SenderOptions> = {}, url = `https://${HOST}:${secret.port}/`) {
  return sendOnce({ url }, { dnsServers: [dns.address], timeoutMs: 1_500, ...options });
}

async function expectRefusal(rule: DnsRule) {
  dns.set(HOST, rule);
  const result = await send();
  expect(result).toEqual({
    ok: false,
    error: 'address_refused',
    statusCode: null,
    responseExcerpt: null,
    durationMs: expect.any(Number) as number,
  });
  expect(secret.connections).toBe(0);
}

describe('a host whose addresses are not all public is never connected to', () => {
  it.each([
    ['loopback', ['127.0.0.1']],
    ['all of loopback', ['127.8.9.10']],
    ['the unspecified address', ['0.0.0.0']],
    ['metadata', ['169.254.169.254']],
    ['public and private', [PUBLIC, '127.0.0.1']],
    ['private and public', ['127.0.0.1', PUBLIC]],
    ['public IPv4 and loopback IPv6', [PUBLIC, '::1']],
    ['loopback IPv6', ['::1']],
    ['unspecified IPv6', ['::']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['compatible loopback', ['::127.0.0.1']],
    ['translated loopback', ['64:ff9b::7f00:1']],
    ['6to4 loopback', ['2002:7f00:1::']],
    ['unique local', ['fd00:ec2::254']],
    ['one private among many', [...Array.from({ length: 20 }, (_, i) => `8.8.4.${i}`), '10.0.0.1']],
  ])('%s', (_name, addresses) => expectRefusal(addresses));

  it('public when the endpoint is created, private when an event is delivered', async () => {
    dns.set(HOST, [PUBLIC]);
    const raw = `https://${HOST}:${secret.port}/`;
    const policy = { devOrigins: [], ownHosts: [] };
    const url = await checkEndpointUrl(raw, policy, { dnsServers: [dns.address] });
    expect(url.href).toBe(raw);
    await expectRefusal(['127.0.0.1']);
  });

  it.each([
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://0177.0.0.1',
    'https://[::1]',
    'https://[::ffff:7f00:1]',
    'https://localhost',
    'https://localhost.',
    'http://127.0.0.1',
    'http://hooks.example.com',
    'https://user:pass@hooks.example.com',
  ])('a URL that was never checked: %s', async (origin) => {
    dns.set(HOST, ['127.0.0.1']);
    const result = await send({}, `${origin}:${secret.port}/`);
    expect(result).toMatchObject({ ok: false, error: 'url_refused', statusCode: null });
    expect(secret.connections).toBe(0);
  });
});

describe('a host that changes its mind', () => {
  it('is asked anew for each attempt, once, and reached only where it was checked', async () => {
    const receiver = await startReceiver(reply(200), {
      host: PRETEND_PUBLIC,
      tls: certificates.issue(HOST),
    });
    const addresses = [PRETEND_PUBLIC, '127.0.0.1'];
    dns.set(HOST, (nth, type) => (type === 'A' ? [addresses[nth % 2] ?? ''] : []));
    const url = `https://${HOST}:${receiver.port}/`;
    const options = { dnsServers: [dns.address], ca: certificates.ca };

    const outcomes: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const isPublicAddress = (ip: string) => ip === PRETEND_PUBLIC;
      const result = await sendOnce({ url }, options, { isPublicAddress });
      outcomes.push(result.ok ? 'ok' : result.error);
    }
    expect(outcomes).toEqual(['ok', REFUSED, 'ok', REFUSED, 'ok', REFUSED]);
    expect(dns.questions(HOST)).toBe(12);
    expect(receiver.requests).toHaveLength(3);
    await receiver.close();
  });

  it('is let go before the handshake when the system reached somewhere else', async () => {
    let handshake = 0;
    const receiver = await startReceiver(reply(200), {
      onConnection: (socket) => socket.on('data', (bytes: Buffer) => (handshake += bytes.length)),
    });
    dns.set(HOST, ['127.0.0.1']);
    let judged = 0;
    const url = `https://${HOST}:${receiver.port}/`;
    const isPublicAddress = () => (judged += 1) === 1;
    const result = await sendOnce({ url }, { dnsServers: [dns.address] }, { isPublicAddress });
    expect(result).toMatchObject({ ok: false, error: REFUSED });
    expect(judged).toBe(2);
    expect(handshake).toBe(0);
    await receiver.close();
  });

  it('is tried at its next vetted address when the first does not answer', async () => {
    const receiver = await startReceiver(reply(200), {
      host: '127.0.0.4',
      tls: certificates.issue(HOST),
    });
    dns.set(HOST, ['127.0.0.3', '127.0.0.4']);
    const url = `https://${HOST}:${receiver.port}/`;
    const options = { dnsServers: [dns.address], ca: certificates.ca };
    const result = await sendOnce({ url }, options, { isPublicAddress: (ip) => !isIPv6(ip) });
    expect(result).toMatchObject({ ok: true });
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('is told apart when none of its addresses answers', async () => {
    const gone = await startReceiver(reply(200), { host: '127.0.0.3' });
    await gone.close();
    dns.set(HOST, ['127.0.0.3', '127.0.0.4']);
    const url = `https://${HOST}:${gone.port}/`;
    const options = { dnsServers: [dns.address] };
    const result = await sendOnce({ url }, options, { isPublicAddress: () => true });
    expect(result).toMatchObject({ ok: false, error: 'connection_refused' });
  });

  it('is reached over IPv6 as well', async () => {
    const receiver = await startReceiver(reply(200), {
      host: '::1',
      tls: certificates.issue(HOST),
    });
    dns.set(HOST, ['::1']);
    const url = `https://${HOST}:${receiver.port}/`;
    const options = { dnsServers: [dns.address], ca: certificates.ca };
    const result = await sendOnce({ url }, options, { isPublicAddress: (ip) => ip === '::1' });
    expect(result).toMatchObject({ ok: true });
    await receiver.close();
  });
});

describe('DNS trouble', () => {
  it.each([
    ['no such name', 'nxdomain', 'dns_not_found'],
    ['no address', [], 'dns_not_found'],
    ['a failing server', 'servfail', 'dns_failed'],
    ['a refusing server', 'refused', 'dns_failed'],
    ['a silent server', 'silent', 'timeout'],
  ] as const)('%s is a result', async (_name, rule, error) => {
    dns.set(HOST, rule);
    const result = await send();
    expect(result).toMatchObject({ ok: false, error, statusCode: null, responseExcerpt: null });
    expect(result.durationMs).toBeLessThan(2_000);
    expect(secret.connections).toBe(0);
  });

  it('ends on its own within the ten seconds', { timeout: 12_000 }, async () => {
    dns.set(HOST, 'silent');
    const result = await send({ timeoutMs: 10_000 });
    expect(result).toMatchObject({ ok: false, error: 'dns_failed' });
    expect(result.durationMs).toBeGreaterThan(4_000);
    expect(result.durationMs).toBeLessThan(6_500);
  });
});

it('the words for a refused address contain none', () => {
  expect(describeAttemptError('address_refused')).not.toMatch(/\d/);
});
