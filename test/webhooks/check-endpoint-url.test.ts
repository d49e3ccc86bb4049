import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkEndpointUrl } from '../../src/webhooks/check-endpoint-url.ts';
import { startDnsServer, type DnsAnswer, type DnsServer } from '../support/dns-server.ts';

const HOST = 'hooks.example.com';
const URL_TEXT = `https://${HOST}./leads`;
let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns.close());

const check = (raw: string, devOrigins: string[] = []) =>
  checkEndpointUrl(raw, { devOrigins, ownHosts: [] }, { dnsServers: [dns.address], limitMs: 300 });

describe('checking an endpoint URL before it is stored', () => {
  it('accepts a host with public addresses only, and returns the URL to store', async () => {
    dns.set(HOST, ['8.8.8.8', '2606:4700::1']);
    expect((await check(URL_TEXT)).href).toBe(`https://${HOST}/leads`);
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['a mix of public and private', ['8.8.8.8', '192.168.0.1']],
    ['public IPv4 and private IPv6', ['8.8.8.8', '::1']],
    ['mapped IPv4', ['::ffff:8.8.8.8']],
    ['cloud metadata', ['169.254.169.254']],
  ])('refuses a host that leads to %s, without naming it', async (_name, addresses) => {
    dns.set(HOST, addresses);
    const refusal = check(URL_TEXT);
    await expect(refusal).rejects.toMatchObject({ code: 'bad_request', field: 'url' });
    await expect(refusal).rejects.toThrow(/address that is not public/);
    for (const ip of addresses) await expect(refusal).rejects.not.toThrow(ip);
  });

  it.each(['nxdomain', []] as DnsAnswer[])('refuses a host without address: %j', async (answer) => {
    dns.set(HOST, answer);
    await expect(check(URL_TEXT)).rejects.toThrow(/does not exist or has no address/);
  });

  it.each(['servfail', 'refused', 'silent'] as DnsAnswer[])(
    'accepts a host that cannot be looked up now: %s',
    async (answer) => {
      dns.set(HOST, answer);
      expect((await check(URL_TEXT)).hostname).toBe(HOST);
    },
  );

  it('asks nothing about addresses, development origins and URLs refused by their text', async () => {
    expect((await check('https://8.8.8.8/')).href).toBe('https://8.8.8.8/');
    expect(
      (await check('http://dev.example.org:9000/', ['http://dev.example.org:9000'])).port,
    ).toBe('9000');
    await expect(check('http://dev.example.org/')).rejects.toThrow(/https:/);
    expect(dns.questions('dev.example.org')).toBe(0);
  });
});
