import { createServer, type Socket } from 'node:net';
import { now, type FromReceiver, type ToReceiver } from './messages.ts';

/*
 * A receiver that costs next to nothing: it notes when the first byte of each request comes, reads
 * the event's id from the headers, answers 200 and closes. It runs in a process of its own.
 */
let arrivals: Record<string, number> = {};
let count = 0;
let awaited = Infinity;

const server = createServer((socket: Socket) => {
  let at = 0;
  let received = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    at ||= now();
    received += chunk.toString('latin1');
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/^content-length: (\d+)/im.exec(received)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    const id = /^x-svc-event-id: (\S+)/im.exec(received)?.[1] ?? 'unknown';
    arrivals[id] ??= at;
    count += 1;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    if (count >= awaited) tell();
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') send({ kind: 'listening', port: address.port });
});

process.on('message', (message: ToReceiver) => {
  arrivals = {};
  count = 0;
  awaited = message.await;
});

function tell(): void {
  awaited = Infinity;
  send({ kind: 'arrived', arrivals, lastAt: now() });
}

function send(message: FromReceiver): void {
  process.send?.(message);
}
