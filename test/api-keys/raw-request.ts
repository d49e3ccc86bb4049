import { once } from 'node:events';
import { connect } from 'node:net';

/** An answer as it came over the socket. */
export interface RawAnswer {
  status: number;
  /** By name in lower case. */
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; undefined when there is none. */
  body: Record<string, unknown> | undefined;
}

/** Sends a request line and header lines exactly as they stand, and reads the one answer. */
export async function rawRequest(
  port: number,
  requestLine: string,
  headerLines: readonly string[] = [],
): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  const lines = [`${requestLine} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headerLines];
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  const received = Buffer.concat(chunks).toString();
  const [head = '', text = ''] = received.split(/\r\n\r\n([^]*)/);
  const [statusLine = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf(':');
      return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
    }),
  );
  const isJson = text !== '' && headers['content-type']?.startsWith('application/json');
  const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text, body };
}
