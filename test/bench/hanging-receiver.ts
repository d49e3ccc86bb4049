import { createServer, type Socket } from 'node:net';

/** A receiver that accepts and never answers, until it recovers; then it answers 200. */
export interface HangingReceiver {
  url: string;
  /** How many different events have come since the last `hang`. */
  readonly arrived: number;
  /** Forgets what came and answers nothing any more. */
  hang(): void;
  /** Answers from now on; what hangs already is left to its time limit. */
  recover(): void;
  stop(): Promise<void>;
}

export async function startHangingReceiver(): Promise<HangingReceiver> {
  const ids = new Set<string>();
  const sockets = new Set<Socket>();
  let hangs = true;
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const id = /^x-svc-event-id: (\S+)\r$/im.exec(received)?.[1];
      if (id) ids.add(id);
      if (hangs || !id) return;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('It listens on no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get arrived() {
      return ids.size;
    },
    hang() {
      ids.clear();
      hangs = true;
    },
    recover() {
      hangs = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
