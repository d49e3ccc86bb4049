import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveHost } from '../../src/webhooks/resolve.ts';
import { startDnsServer, type DnsAnswer, type DnsServer } from '../support/dns-server.ts';

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.close());

const resolve = (name: string, limitMs = 300) =>
  resolveHost(name, { dnsServers: [dns.address], limitMs });

/** Different answers for the two record types. */
const split = (a: DnsAnswer, aaaa: DnsAnswer) => (_nth: number, type: 'A' | 'AAAA') =>
  type === 'A' ? a : aaaa;

describe('looking up a host', () => {
  it('gives the addresses of both families, IPv4 first', async () => {
    dns.set('both.example.com', ['2606:4700::1', '8.8.8.8', '8.8.4.4']);
    expect(await resolve('both.example.com')).toEqual({
      kind: 'found',
      addresses: ['8.8.8.8', '8.8.4.4', '2606:4700::1'],
    });
  });

  it.each([
    ['the name does not exist', 'nxdomain' as DnsAnswer, 'none'],
    ['it has no address', [], 'none'],
    ['the server fails', 'servfail' as DnsAnswer, 'unavailable'],
    ['the server refuses', 'refused' as DnsAnswer, 'unavailable'],
    ['the server is silent', 'silent' as DnsAnswer, 'unavailable'],
  ])('tells whether %s', async (_name, answer, kind) => {
    dns.set('odd.example.com', answer);
    expect(await resolve('odd.example.com')).toEqual({ kind });
  });

  it('makes do with one family when the other fails', async () => {
    dns.set('half.example.com', split(['8.8.8.8'], 'servfail'));
    expect(await resolve('half.example.com')).toEqual({ kind: 'found', addresses: ['8.8.8.8'] });
  });

  it('does not wait long for a family that is never answered', async () => {
    dns.set('slow.example.com', split(['8.8.8.8'], 'silent'));
    const started = performance.now();
    expect(await resolve('slow.example.com', 5_000)).toMatchObject({ addresses: ['8.8.8.8'] });
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('is not certain of absence while one family is unknown', async () => {
    dns.set('unsure.example.com', split([], 'servfail'));
    expect(await resolve('unsure.example.com')).toEqual({ kind: 'unavailable' });
  });

  it('is not certain of anything without a server', async () => {
    const gone = await startDnsServer();
    await gone.close();
    const options = { dnsServers: [gone.address], limitMs: 1_000 };
    expect(await resolveHost('any.example.com', options)).toEqual({ kind: 'unavailable' });
  });

  it('asks again after two seconds, since questions get lost', { timeout: 8_000 }, async () => {
    dns.set('lost.example.com', (nth) => (nth === 0 ? 'silent' : ['8.8.8.8']));
    const started = performance.now();
    expect(await resolve('lost.example.com', 5_000)).toMatchObject({ kind: 'found' });
    expect(performance.now() - started).toBeGreaterThan(1_500);
    expect(performance.now() - started).toBeLessThan(3_500);
  });

  it('ends when it is cancelled', async () => {
    dns.set('slow.example.com', 'silent');
    const options = { dnsServers: [dns.address], signal: AbortSignal.timeout(100) };
    const started = performance.now();
    expect(await resolveHost('slow.example.com', options)).toEqual({ kind: 'unavailable' });
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('keeps nothing between look-ups', async () => {
    dns.set('moves.example.com', (nth) => [nth === 0 ? '8.8.8.8' : '9.9.9.9']);
    expect(await resolve('moves.example.com')).toMatchObject({ addresses: ['8.8.8.8'] });
    expect(await resolve('moves.example.com')).toMatchObject({ addresses: ['9.9.9.9'] });
  });
});
