import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** What a receiver does with the connection once it has a whole request. */
export type Behaviour = (socket: Socket) => void;

/** A receiver on raw sockets, free to break every rule; see {@link startReceiver}. */
export interface Receiver {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or https. */
  readonly origin: string;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Connections open now. */
  readonly openConnections: number;
  /** Requests received so far, each as the very bytes that came. */
  readonly requests: readonly Buffer[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  host?: string;
  /** Speaks TLS with these options. */
  tls?: TlsOptions;
  /** Acts as soon as the connection is there, before any request. */
  onConnection?: Behaviour;
}

/** Starts a receiver that counts connections and requests and answers as told. */
export async function startReceiver(
  behaviour: Behaviour,
  options: ReceiverOptions = {},
): Promise<Receiver> {
  const host = options.host ?? '127.0.0.1';
  const requests: Buffer[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const track = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const serve = (socket: Socket) => {
    socket.on('error', () => undefined);
    options.onConnection?.(socket);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const length = requestLength(received);
      if (length === undefined || received.length < length) return;
      requests.push(received.subarray(0, length));
      received = received.subarray(length);
      behaviour(socket);
    });
  };
  const server = options.tls ? createTlsServer(options.tls, serve) : createTcpServer(serve);
  server.on('connection', track).on('tlsClientError', () => undefined);
  server.listen(0, host);
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    port,
    origin: `${options.tls ? 'https' : 'http'}://${name}:${port}`,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A well-formed response that is sent at once and ends the connection. */
export function reply(status: number, body = '', headers: Record<string, string> = {}): Behaviour {
  const length = { 'Content-Length': String(Buffer.byteLength(body)) };
  const fields = { ...(status !== 204 && length), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return (socket) => socket.end(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n${body}`);
}

/** Sends exactly this and leaves the connection open. */
export function say(text: string): Behaviour {
  return (socket) => void socket.write(text);
}

/** Sends this, waits for it to leave, and resets the connection. */
export function sayAndReset(text: string): Behaviour {
  return (socket) => {
    socket.write(text);
    setTimeout(() => socket.resetAndDestroy(), 50);
  };
}

/** Sends `start`, then `again` every so often until the connection is gone. */
export function drip(start: string, again: string, everyMs: number): Behaviour {
  return (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(again), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends `start`, then `again` as fast as it is taken, up to a number of bytes. */
export function flood(start: string, again: Buffer, upToBytes = Infinity): Behaviour {
  return (socket) => {
    let sent = 0;
    const pour = () => {
      while (!socket.destroyed && sent < upToBytes) {
        sent += again.length;
        if (!socket.write(again)) return void socket.once('drain', pour);
      }
    };
    socket.write(start);
    pour();
  };
}

/** The length of the first request in these bytes; undefined before its headers are complete. */
function requestLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const length = /^content-length: (\d+)\r$/im.exec(bytes.toString('latin1', 0, end + 2));
  return end + 4 + Number(length?.[1] ?? 0);
}
