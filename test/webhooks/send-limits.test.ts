import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSender } from '../../src/webhooks/send.ts';
import { drip, flood, reply, say, startReceiver } from '../support/bad-receiver.ts';
import { SENDER_DEFAULTS, sendTo, SHORT_LIMIT_MS } from './sending.ts';

const MEGABYTE = 1_024 * 1_024;

describe.concurrent('the time limit', () => {
  it('ends an attempt that is never answered after ten seconds', { timeout: 15_000 }, async () => {
    const receiver = await startReceiver(() => undefined);
    const started = performance.now();
    const result = await sendTo(receiver, {}, { timeoutMs: 10_000 });
    const tookMs = performance.now() - started;
    expect(result).toMatchObject({ ok: false, error: 'timeout', statusCode: null });
    expect(Math.abs(tookMs - 10_000)).toBeLessThan(500);
    expect(Math.abs(result.durationMs - tookMs)).toBeLessThan(50);
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it.each([
    ['a request that is never answered', () => undefined],
    ['half a status line', say('HTTP/1.1 2')],
    ['headers that never end', drip('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n', 50)],
    ['a body one byte at a time', drip('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n', 'x', 100)],
    ['a body that never begins', say('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n')],
    [
      'chunks that never end',
      drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n', 100),
    ],
    ['interim responses without end', drip('', 'HTTP/1.1 102 Processing\r\n\r\n', 50)],
    ['an interim response that never ends', drip('HTTP/1.1 102 Processing\r\n', 'X-A: b\r\n', 50)],
  ] as const)('covers %s', async (_name, behaviour) => {
    const receiver = await startReceiver(behaviour);
    const result = await sendTo(receiver, {}, { timeoutMs: SHORT_LIMIT_MS });
    expect(result).toMatchObject({ ok: false, error: 'timeout' });
    expect(result.durationMs).toBeGreaterThanOrEqual(SHORT_LIMIT_MS - 5);
    expect(result.durationMs).toBeLessThan(SHORT_LIMIT_MS + 400);
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('covers a body that the receiver never takes', async () => {
    const receiver = await startReceiver(reply(200), { onConnection: (s) => s.pause() });
    const body = Buffer.alloc(32 * MEGABYTE);
    const result = await sendTo(receiver, { body }, { timeoutMs: SHORT_LIMIT_MS });
    expect(result).toMatchObject({ ok: false, error: 'timeout' });
    await receiver.close();
  });

  it('leaves the caller a way to give up, whose reason is thrown', async () => {
    const receiver = await startReceiver(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('worker is stopping')), 100);
    const attempt = sendTo(receiver, { signal: controller.signal });
    await expect(attempt).rejects.toThrow('worker is stopping');
    await expect(sendTo(receiver, { signal: controller.signal })).rejects.toThrow('stopping');
    expect(receiver.connections).toBe(1);
    await receiver.close();
  });
});

describe('the size limits', () => {
  it('stop reading a body of 1 GB, with flat memory and the verdict of the status', async () => {
    const head = (status: number) =>
      `HTTP/1.1 ${status} X\r\nContent-Length: ${1_024 * MEGABYTE}\r\n\r\n`;
    let poured = 0;
    const chunk = Buffer.alloc(64 * 1_024, 'x');
    const endless = (status: number) => flood(head(status), chunk, 1_024 * MEGABYTE);
    const before = process.memoryUsage().rss;
    for (const status of [200, 200, 200, 200, 500]) {
      const receiver = await startReceiver((socket) => {
        endless(status)(socket);
        socket.on('close', () => (poured += socket.bytesWritten));
      });
      const result = await sendTo(receiver);
      expect(result).toMatchObject({ ok: status === 200, statusCode: status });
      expect(result.responseExcerpt).toBe('x'.repeat(1_024));
      await receiver.close();
    }
    expect(poured).toBeLessThan(5 * 16 * MEGABYTE);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MEGABYTE);
  });

  it('leave a small compressed bomb compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE));
    expect(bomb.length).toBeLessThan(60_000);
    const receiver = await startReceiver((socket) => {
      const headers = `Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`;
      socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`);
      socket.end(bomb);
    });
    const before = process.memoryUsage().rss;
    const result = await sendTo(receiver);
    expect(result).toMatchObject({ ok: true, statusCode: 200 });
    expect(result.responseExcerpt?.length).toBeLessThanOrEqual(1_024);
    expect(process.memoryUsage().rss - before).toBeLessThan(16 * MEGABYTE);
    await receiver.close();
  });

  it('ignore a thousand codings', async () => {
    const encoding = Array<string>(1_000).fill('gzip').join(',');
    const receiver = await startReceiver(reply(200, 'zip', { 'Content-Encoding': encoding }));
    expect(await sendTo(receiver)).toMatchObject({ ok: true, responseExcerpt: 'zip' });
    await receiver.close();
  });

  it.each([
    ['one header of 1 MB', `X-A: ${'a'.repeat(MEGABYTE)}\r\n`],
    ['1 MB of small headers', 'X-A: b\r\n'.repeat(MEGABYTE / 8)],
  ])('refuse %s', async (_name, headers) => {
    const receiver = await startReceiver(say(`HTTP/1.1 200 OK\r\n${headers}\r\n`));
    expect(await sendTo(receiver)).toMatchObject({
      ok: false,
      error: 'response_headers_too_large',
      statusCode: null,
    });
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('cut off a flood of interim responses long before the time is up', async () => {
    const interim = Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100));
    const receiver = await startReceiver(flood('', interim));
    const result = await sendTo(receiver);
    expect(result).toMatchObject({ ok: false, error: 'response_invalid', statusCode: null });
    expect(result.durationMs).toBeLessThan(1_000);
    await receiver.close();
  });
});

describe('closing a sender', () => {
  it('waits for what is under way and refuses what comes later', async () => {
    const receiver = await startReceiver((s) => void setTimeout(() => reply(200)(s), 150));
    const sender = createSender({ ...SENDER_DEFAULTS, devOrigins: [receiver.origin] });
    const request = { url: receiver.origin, headers: {}, body: Buffer.from('{}') };
    const attempt = sender.send(request);
    let done = false;
    void attempt.then(() => (done = true));
    await sender.close();
    expect(done).toBe(true);
    await expect(sender.send(request)).rejects.toThrow('closed');
    await receiver.close();
  });
});
