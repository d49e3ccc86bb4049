import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { reply, say, sayAndReset, startReceiver, type Behaviour } from '../support/bad-receiver.ts';
import { sendTo } from './sending.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const end =
  (text: string): Behaviour =>
  (socket) =>
    socket.end(text);

describe('a connection that breaks', () => {
  it.each([
    ['before headers by reset', sayAndReset(''), null],
    ['before headers by close', end(''), null],
    ['in the status line', end('HTTP/1.1 20'), null],
    ['in the headers by reset', sayAndReset(`${OK}Content-Le`), null],
    ['in the headers by close', end(`${OK}Content-Le`), null],
    ['after interim responses', end('HTTP/1.1 100 Continue\r\n\r\n'), null],
    ['in a body of known length by reset', sayAndReset(`${OK}Content-Length: 9\r\n\r\npart`), 200],
    ['in a body of known length by close', end(`${OK}Content-Length: 9\r\n\r\npart`), 200],
    ['likewise, announced', end(`${OK}Connection: close\r\nContent-Length: 9\r\n\r\npart`), 200],
    ['in chunks by reset', sayAndReset(`${OK}Transfer-Encoding: chunked\r\n\r\n4\r\npart`), 200],
    ['in chunks by close', end(`${OK}Transfer-Encoding: chunked\r\n\r\n4\r\npart`), 200],
    [
      'in chunks by close, announced',
      end(`${OK}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart`),
      200,
    ],
    ['in a body of unknown length by reset', sayAndReset(`${OK}\r\npart`), 200],
  ])('%s fails, and nothing is sent again', async (_name, behaviour, statusCode) => {
    const receiver = await startReceiver(behaviour);
    const result = await sendTo(receiver);
    await sleep(100);
    expect(result).toMatchObject({ ok: false, error: 'connection_reset', statusCode });
    expect(result.responseExcerpt).toBe(statusCode === null ? null : 'part');
    expect([receiver.requests.length, receiver.connections]).toEqual([1, 1]);
    await receiver.close();
  });

  it('at once, before the request, is not tried again', async () => {
    const receiver = await startReceiver(reply(200), { onConnection: (s) => s.resetAndDestroy() });
    const result = await sendTo(receiver);
    await sleep(100);
    expect(result).toMatchObject({ ok: false, error: 'connection_reset', statusCode: null });
    expect(receiver.connections).toBe(1);
    await receiver.close();
  });

  it('because nobody listens is told apart', async () => {
    const receiver = await startReceiver(reply(200));
    await receiver.close();
    const result = await sendTo(receiver);
    expect(result).toMatchObject({ ok: false, error: 'connection_refused', statusCode: null });
  });
});

describe('a response that is not HTTP', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTML without headers', '<!doctype html><title>Hi</title>\r\n\r\n'],
    ['binary', '\x00\x01\x02\x03\xff\xfe\xfd\r\n\r\n\r\n'],
    ['a bad header line', `${OK}no colon here\r\n\r\n`],
    [
      'an unasked change of protocol',
      'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ],
    ['two lengths', `${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ['a length that is no number', `${OK}Content-Length: many\r\n\r\nabcd`],
    ['a bad chunk', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nabcd`],
  ])('%s', async (_name, text) => {
    const receiver = await startReceiver(say(text));
    const result = await sendTo(receiver, {}, { timeoutMs: 1_000 });
    expect(result).toMatchObject({ ok: false, error: 'response_invalid' });
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });
});

describe('an unsolicited second response', () => {
  const first = `${OK}Content-Length: 5\r\n\r\nfirst`;
  const second = 'HTTP/1.1 500 Poison\r\nContent-Length: 6\r\n\r\npoison';

  it.each([
    ['at once', say(first + second)],
    ['later', (socket) => void (socket.write(first), setTimeout(() => socket.write(second), 50))],
  ] as [string, Behaviour][])('%s changes neither this attempt nor the next', async (_n, twice) => {
    const receiver = await startReceiver(twice);
    for (let i = 0; i < 3; i += 1) {
      expect(await sendTo(receiver)).toMatchObject({ ok: true, responseExcerpt: 'first' });
      await sleep(60);
    }
    expect([receiver.requests.length, receiver.connections]).toEqual([3, 3]);
    await receiver.close();
  });

  it('that precedes every request is not taken for an answer', async () => {
    const receiver = await startReceiver(() => undefined, { onConnection: say(second) });
    const result = await sendTo(receiver, {}, { timeoutMs: 1_000 });
    expect(result.ok).toBe(false);
    expect(receiver.connections).toBe(1);
    await receiver.close();
  });
});
