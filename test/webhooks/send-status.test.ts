import { describe, expect, it } from 'vitest';
import { reply, say, startReceiver, type Behaviour } from '../support/bad-receiver.ts';
import { headersOf, sendTo, SHORT_LIMIT_MS } from './sending.ts';

async function outcome(behaviour: Behaviour, timeoutMs = 5_000) {
  const receiver = await startReceiver(behaviour);
  const result = await sendTo(receiver, {}, { timeoutMs });
  const seen = { requests: receiver.requests.length, connections: receiver.connections };
  await receiver.close();
  return { result, ...seen, origin: receiver.origin };
}

describe('a response that succeeds', () => {
  it.each([200, 201, 202, 204, 206, 226, 299])('is any 2xx: %i', async (status) => {
    const { result, requests, connections } = await outcome(
      reply(status, status === 204 ? '' : 'ok'),
    );
    expect(result).toMatchObject({ ok: true, statusCode: status });
    expect([requests, connections]).toEqual([1, 1]);
  });

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
    ['several', 'HTTP/1.1 102 A\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 B\r\n\r\n'],
  ])('may follow interim ones: %s', async (_name, interim) => {
    const { result, requests } = await outcome(
      say(`${interim}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`),
    );
    expect(result).toMatchObject({ ok: true, statusCode: 200, responseExcerpt: 'ok' });
    expect(requests).toBe(1);
  });

  it('may arrive one byte at a time, interim responses included', async () => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok';
    const { result } = await outcome((socket) => {
      socket.setNoDelay(true);
      [...text].forEach((byte, i) => setTimeout(() => socket.write(byte), i * 2));
    });
    expect(result).toMatchObject({ ok: true, statusCode: 201, responseExcerpt: 'ok' });
  });

  it.each(['0', '6'])('may be a 204 that announces %s bytes', async (length) => {
    const { result } = await outcome(reply(204, '', { 'Content-Length': length }));
    expect(result).toMatchObject({ ok: true, statusCode: 204, responseExcerpt: '' });
  });

  it('may end with the connection in place of a length', async () => {
    const { result } = await outcome((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold style'));
    expect(result).toMatchObject({ ok: true, responseExcerpt: 'old style' });
  });
});

describe('a response that fails', () => {
  it.each([400, 401, 404, 410, 422, 429, 500, 502, 503, 599])('is any %i', async (status) => {
    const { result, requests } = await outcome(reply(status, 'no'));
    expect(result).toMatchObject({
      ok: false,
      error: 'http_status',
      statusCode: status,
      responseExcerpt: 'no',
    });
    expect(requests).toBe(1);
  });

  it.each([300, 304])('is %i without a target', async (status) => {
    const { result } = await outcome(reply(status));
    expect(result).toMatchObject({ ok: false, error: 'http_status', statusCode: status });
  });

  it('keeps its status when its body never ends', async () => {
    const { result } = await outcome(
      say('HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nbusy'),
      SHORT_LIMIT_MS,
    );
    expect(result).toMatchObject({
      ok: false,
      error: 'http_status',
      statusCode: 503,
      responseExcerpt: 'busy',
    });
  });
});

describe('a redirect', () => {
  it.each([300, 301, 302, 303, 307, 308])('%i fails and is not followed', async (status) => {
    const target = await startReceiver(reply(200));
    const location = `${target.origin}/landing?token=secret#part`;
    const { result, requests } = await outcome(reply(status, 'moved', { Location: location }));
    await new Promise((resolve) => setTimeout(resolve, 50));

    expect(result).toMatchObject({
      ok: false,
      error: 'redirect',
      statusCode: status,
      redirectTarget: `${target.origin}/landing`,
    });
    expect([requests, target.connections]).toEqual([1, 0]);
    await target.close();
  });

  it.each([
    ['a path', '/moved?x=1', '/moved'],
    ['credentials', 'https://user:secret@example.com/a', 'https://example.com/a'],
    ['a private address', 'http://169.254.169.254/latest?x=1', 'http://169.254.169.254/latest'],
    ['what is no URL', 'http://[bad?token=secret', 'http://[bad'],
    ['a very long one', `https://example.com/${'a'.repeat(2_000)}`, undefined],
  ])('names its target without secrets: %s', async (_name, location, expected) => {
    const { result, origin } = await outcome(reply(302, '', { Location: location }));
    if (result.ok) throw new Error('A redirect must not succeed.');
    const target = result.redirectTarget ?? '';
    if (expected === undefined) expect(target).toHaveLength(512);
    else expect(target).toBe(expected.startsWith('/') ? origin + expected : expected);
  });

  it('may name no target', async () => {
    const { result } = await outcome(reply(302));
    expect(result).toMatchObject({ ok: false, error: 'redirect', redirectTarget: null });
  });
});

describe('the request', () => {
  it('is one POST on a connection of its own, with nothing but the expected headers', async () => {
    const receiver = await startReceiver(reply(200));
    const headers = { 'X-SVC-Event-Id': 'evt_1', 'X-SVC-Signature': 'v1=00' };
    await sendTo(receiver, { headers });
    await sendTo(receiver, { headers });
    expect(receiver.connections).toBe(2);

    const [request] = receiver.requests;
    expect(request?.toString('latin1')).toMatch(/^POST \/hook\?a=1 HTTP\/1\.1\r\n/);
    expect(Object.fromEntries(headersOf(request))).toEqual({
      host: receiver.origin.slice('http://'.length),
      connection: 'close',
      'content-type': 'application/json',
      'content-length': '14',
      'user-agent': 'lead-events-test',
      'x-svc-event-id': 'evt_1',
      'x-svc-signature': 'v1=00',
    });
    await receiver.close();
  });

  it('goes to an IPv6 address as well', async () => {
    const receiver = await startReceiver(reply(200), { host: '::1' });
    expect(await sendTo(receiver)).toMatchObject({ ok: true });
    expect(headersOf(receiver.requests[0]).get('host')).toBe(`[::1]:${receiver.port}`);
    await receiver.close();
  });

  it('with header values that could split it is a mistake of the caller', async () => {
    const receiver = await startReceiver(reply(200));
    const headers = { 'X-SVC-Event-Id': 'evt_1\r\nX-Evil: 1' };
    await expect(sendTo(receiver, { headers })).rejects.toThrow(TypeError);
    expect(receiver.connections).toBe(0);
    await receiver.close();
  });
});

describe('the excerpt of a response', () => {
  it.each([
    ['the first KB', Buffer.alloc(5_000, 'a'), 'a'.repeat(1_024)],
    ['no half character at the cut', Buffer.from(`${'a'.repeat(1_022)}🏡`), 'a'.repeat(1_022)],
    ['no NUL', Buffer.from('a\0b\0'), 'ab'],
    ['replaced bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
    ['replaced half of a character', Buffer.from([0x61, 0xf0, 0x9f]), 'a\ufffd'],
  ])('is text with %s', async (_name, body, expected) => {
    const { result } = await outcome((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.end(body);
    });
    expect(result).toMatchObject({ ok: true, responseExcerpt: expected });
  });
});
