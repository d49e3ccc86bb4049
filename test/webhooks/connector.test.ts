import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { buildConnector } from 'undici';
import { createConnectorFactory } from '../../src/webhooks/connector.ts';
import { reply, startReceiver, type Receiver } from '../support/bad-receiver.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver(reply(200), { host: '::' });
});
afterEach(() => receiver.close());

/** Asks a connector for a connection, as undici does. */
function ask(connect: buildConnector.connector, url: string): Promise<Socket> {
  const { host, hostname, protocol, port } = new URL(url);
  const target = { host, hostname: hostname.replace(/[[\]]/g, ''), protocol, port };
  return new Promise((resolve, reject) => {
    connect(target, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
  });
}

describe('the connector', () => {
  it('connects once, so that undici cannot reconnect by itself', async () => {
    const origin = `http://127.0.0.1:${receiver.port}`;
    const factory = createConnectorFactory({ devOrigins: [origin] });
    const connect = factory(new AbortController().signal);
    const socket = await ask(connect, origin);
    await expect(ask(connect, origin)).rejects.toMatchObject({ reason: 'connection_reset' });
    expect(receiver.connections).toBe(1);
    socket.destroy();
  });

  it.each([
    ['a private address', 'https://127.0.0.1', 'address_refused'],
    ['a private IPv6 address', 'https://[::1]', 'address_refused'],
    ['a mapped address', 'https://[::ffff:7f00:1]', 'address_refused'],
    ['plain HTTP', 'http://127.0.0.1', 'url_refused'],
  ])('judges by itself, whatever was checked before: %s', async (_name, origin, reason) => {
    const devOrigins = [`http://127.0.0.1:${receiver.port + 1}`];
    const connect = createConnectorFactory({ devOrigins })(new AbortController().signal);
    await expect(ask(connect, `${origin}:${receiver.port}`)).rejects.toMatchObject({ reason });
    expect(receiver.connections).toBe(0);
  });
});
