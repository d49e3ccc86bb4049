import type { TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reply, startReceiver, type Receiver } from '../support/bad-receiver.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { createTlsCertificates } from '../support/tls-certificates.ts';
import { headersOf, sendOnce } from './sending.ts';

const HOST = 'hooks.example.com';
const certificates = createTlsCertificates();
const good = certificates.issue(HOST);
let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer();
  dns.set(HOST, ['127.0.0.1']);
});
afterAll(() => dns.close());

/** Sends by name: the name resolves to loopback, which counts as public here. */
async function send(receiver: Receiver, host = HOST) {
  const options = { dnsServers: [dns.address], ca: certificates.ca, timeoutMs: 2_000 };
  const isPublicAddress = (ip: string) => ip === '127.0.0.1';
  const url = `https://${host}:${receiver.port}/hook`;
  return sendOnce({ url }, options, { isPublicAddress });
}

async function outcome(tls: TlsOptions) {
  const receiver = await startReceiver(reply(200, 'ok'), { tls });
  const result = await send(receiver);
  const { requests, connections } = receiver;
  await receiver.close();
  return { result, requests, connections };
}

describe('TLS', () => {
  it('with a fitting certificate delivers to the vetted address under the right name', async () => {
    let serverName: string | undefined;
    const { result, requests, connections } = await outcome({
      ...good,
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback: (name, done) => {
        serverName = name;
        done(null);
      },
    });
    expect(result).toMatchObject({ ok: true, statusCode: 200, responseExcerpt: 'ok' });
    expect(serverName).toBe(HOST);
    expect(headersOf(requests[0]).get('host')).toMatch(/^hooks\.example\.com:\d+$/);
    expect([requests.length, connections]).toEqual([1, 1]);
  });

  it('is never resumed from an earlier session', async () => {
    const resumed: boolean[] = [];
    const receiver = await startReceiver(reply(200), {
      tls: good,
      onConnection: (socket) => {
        resumed.push((socket as unknown as { isSessionReused(): boolean }).isSessionReused());
      },
    });
    await send(receiver);
    await send(receiver);
    expect(resumed).toEqual([false, false]);
    await receiver.close();
  });

  it.each([
    ['1.2', 'TLSv1.2'],
    ['1.3', 'TLSv1.3'],
  ] as const)('%s is spoken', async (_name, version) => {
    const { result } = await outcome({ ...good, minVersion: version, maxVersion: version });
    expect(result.ok).toBe(true);
  });

  it.each([
    ['1.0', 'TLSv1'],
    ['1.1', 'TLSv1.1'],
  ] as const)('%s alone is refused', async (_name, version) => {
    const { result, requests } = await outcome({
      ...good,
      minVersion: version,
      maxVersion: version,
      ciphers: 'ALL:@SECLEVEL=0',
    });
    expect(result).toMatchObject({ ok: false, error: 'tls_version_unsupported' });
    expect(requests).toHaveLength(0);
  });

  it.each([
    ['expired', certificates.issue(HOST, -1), 'tls_certificate_expired'],
    ['self-signed', certificates.selfSigned(HOST), 'tls_certificate_untrusted'],
    ['of an unknown issuer', createTlsCertificates().issue(HOST), 'tls_certificate_untrusted'],
    ['for another name', certificates.issue('other.example.com'), 'tls_certificate_wrong_name'],
    ['for an address', certificates.issue('127.0.0.1'), 'tls_certificate_wrong_name'],
  ])('with a certificate that is %s is refused before the request', async (_name, tls, error) => {
    const { result, requests, connections } = await outcome(tls);
    expect(result).toMatchObject({ ok: false, error, statusCode: null, responseExcerpt: null });
    expect([requests.length, connections]).toEqual([0, 1]);
  });

  it('with an address in the URL needs a certificate for that address', async () => {
    const fitting = await startReceiver(reply(200), { tls: certificates.issue('127.0.0.1') });
    const wrong = await startReceiver(reply(200), { tls: good });
    const options = { devOrigins: [fitting.origin, wrong.origin], ca: certificates.ca };
    expect(await sendOnce({ url: fitting.origin }, options)).toMatchObject({ ok: true });
    expect(await sendOnce({ url: wrong.origin }, options)).toMatchObject({
      ok: false,
      error: 'tls_certificate_wrong_name',
    });
    await Promise.all([fitting.close(), wrong.close()]);
  });

  it('is verified even when the environment says not to', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { result } = await outcome(certificates.selfSigned(HOST));
      expect(result).toMatchObject({ ok: false, error: 'tls_certificate_untrusted' });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('is told apart from plain HTTP on the port', async () => {
    const speaking = await startReceiver(reply(200), {
      onConnection: (socket) => socket.once('data', () => reply(400)(socket)),
    });
    expect(await send(speaking)).toMatchObject({ ok: false, error: 'tls_not_offered' });
    expect(speaking.requests).toHaveLength(0);
    await speaking.close();
  });

  it.each([
    ['never answers', () => undefined, 'timeout'],
    ['closes', (socket: { end(): void }) => socket.end(), 'connection_reset'],
  ] as const)('with a receiver that %s during the handshake fails', async (_n, act, error) => {
    const receiver = await startReceiver(reply(200), {
      onConnection: (socket) => void socket.once('data', () => act(socket)),
    });
    expect(await send(receiver)).toMatchObject({ ok: false, error });
    await receiver.close();
  });
});
