import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSender } from '../../src/webhooks/send.ts';
import { drip, flood, reply, say, startReceiver, type Behaviour } from '../support/bad-receiver.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { createTlsCertificates } from '../support/tls-certificates.ts';
import { SENDER_DEFAULTS } from './sending.ts';

const HOST = 'hooks.example.com';
const certificates = createTlsCertificates();
const trusted = certificates.issue(HOST);
let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer();
  dns.set(HOST, ['127.0.0.1']);
});
afterAll(() => dns.close());

const OK = 'HTTP/1.1 200 OK\r\n';
const CASES: [string, Behaviour, typeof trusted][] = [
  ['a whole response', reply(200, 'ok'), trusted],
  ['a whole response left open', say(`${OK}Content-Length: 2\r\n\r\nok`), trusted],
  ['a response without end', flood(`${OK}\r\n`, Buffer.alloc(16_384)), trusted],
  ['a failure', say('HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\npart'), trusted],
  ['no answer', () => undefined, trusted],
  ['a slow answer', drip(`${OK}Content-Length: 99\r\n\r\n`, 'x', 50), trusted],
  ['what is not HTTP', say('garbage\r\n\r\n'), trusted],
  ['a bad certificate', reply(200), certificates.selfSigned(HOST)],
];

it.each(CASES)('no connection is left behind after %s', async (_name, behaviour, tls) => {
  const receiver = await startReceiver(behaviour, { tls });
  const options = { dnsServers: [dns.address], ca: certificates.ca, timeoutMs: 500 };
  const sender = createSender({ ...SENDER_DEFAULTS, ...options }, { isPublicAddress: () => true });
  const request = {
    url: `https://${HOST}:${receiver.port}/`,
    headers: {},
    body: Buffer.from('{}'),
  };
  await Promise.all(Array.from({ length: 5 }, () => sender.send(request)));
  await sleep(100);
  expect(receiver.connections).toBeGreaterThan(0);
  expect(receiver.openConnections).toBe(0);
  await receiver.close();
});
