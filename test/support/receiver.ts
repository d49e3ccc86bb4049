import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came, byte for byte. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
}

export interface TestReceiver {
  origin: string;
  received: Received[];
  /** What is done with each request; 200 unless changed. */
  answer: (request: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** An endpoint on loopback that keeps what it gets. */
export async function startTestReceiver(): Promise<TestReceiver> {
  const receiver: TestReceiver = {
    origin: '',
    received: [],
    answer: (_request, response) => void response.writeHead(200).end('ok'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      const received = { path: url, headers, body: Buffer.concat(chunks), at: Date.now() };
      receiver.received.push(received);
      receiver.answer(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
