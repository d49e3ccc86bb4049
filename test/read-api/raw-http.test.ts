import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startContract, type Contract } from './contract.ts';

/* What cannot be sent with an HTTP client: bytes on a socket. */
let contract: Contract;
let key: string;
beforeAll(async () => {
  contract = await startContract();
  const { accountId } = await contract.newCaller();
  key = await contract.newKey(accountId);
});
afterAll(() => contract.close());

interface Raw {
  status: number;
  head: string;
  body: string;
}

function open(): Socket {
  const { hostname, port } = new URL(contract.url);
  return connect(Number(port), hostname);
}

/** Unlike `once`, which takes a reset for a failure. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** Everything that the server sends until it ends the connection, answer by answer. */
async function exchange(text: string): Promise<Raw[]> {
  const socket = open();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(text);
  await closed(socket);
  return answersIn(Buffer.concat(chunks).toString());
}

function answersIn(text: string): Raw[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((one) => one !== '')
    .map((one) => {
      const [head = '', body = ''] = one.split(/\r\n\r\n([^]*)/);
      return { status: Number(head.slice(9, 12)), head, body };
    });
}

const get = (path: string, headers: string[], body = '') =>
  [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', body].join(
    '\r\n',
  );

function expectError({ head, body }: Raw, error: string): void {
  const parsed = JSON.parse(body) as Record<string, unknown>;
  expect(parsed).toEqual({
    ...{ error, message: expect.any(String) as string },
    request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/) as string,
  });
  const fields = head.toLowerCase();
  expect(fields).toContain(`x-request-id: ${String(parsed['request_id'])}`);
  expect(fields).toContain('content-type: application/json');
  expect(fields).toContain('connection: close');
}

const SMUGGLED = 'GET /v1/deals HTTP/1.1\r\nHost: x\r\n\r\n';

describe('what is not well-formed HTTP is one JSON error, and the end of the connection', () => {
  it.each([
    ['no HTTP at all', () => 'hello\r\n\r\n', 400, 'bad_request'],
    ['TLS on the plain port', () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400, 'bad_request'],
    ['no host', () => 'GET /v1/ping HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['a space in a header name', () => get('/v1/ping', ['X y: 1']), 400, 'bad_request'],
    ['a header folded over two lines', () => get('/v1/ping', ['X: 1', ' 2']), 400, 'bad_request'],
    ['a NUL in a header', () => get('/v1/ping', ['X: \0']), 400, 'bad_request'],
    [
      'a length and chunks (request smuggling)',
      () =>
        get(
          '/v1/ping',
          ['Content-Length: 5', 'Transfer-Encoding: chunked'],
          `0\r\n\r\n${SMUGGLED}`,
        ),
      ...([400, 'bad_request'] as const),
    ],
    [
      'chunks and a length (request smuggling)',
      () =>
        get(
          '/v1/ping',
          ['Transfer-Encoding: chunked', 'Content-Length: 5'],
          `0\r\n\r\n${SMUGGLED}`,
        ),
      ...([400, 'bad_request'] as const),
    ],
    [
      'two lengths',
      () => get('/v1/ping', ['Content-Length: 0', 'Content-Length: 36'], SMUGGLED),
      ...([400, 'bad_request'] as const),
    ],
    [
      'chunks that are not the last encoding',
      () => get('/v1/ping', ['Transfer-Encoding: chunked, identity'], SMUGGLED),
      ...([400, 'bad_request'] as const),
    ],
    [
      'a length that is no number',
      () => get('/v1/ping', ['Content-Length: +1']),
      400,
      'bad_request',
    ],
    [
      'a host that is none',
      () => get('/v1/ping', []).replace('Host: x', 'Host: a b'),
      400,
      'bad_request',
    ],
    [
      'a host with a query',
      () => get('/v1/ping', []).replace('Host: x', 'Host: x?y'),
      400,
      'bad_request',
    ],
    [
      'a port that is none',
      () => get('/v1/ping', []).replace('Host: x', 'Host: x:99999'),
      400,
      'bad_request',
    ],
    ['no path', () => get('*', []), 400, 'bad_request'],
    ['a URL of another kind', () => get('ftp://x/v1/ping', []), 400, 'bad_request'],
    ['a URL that is none', () => get('http://[::1/v1/ping', []), 400, 'bad_request'],
    ['an expectation', () => get('/v1/ping', ['Expect: a miracle']), 417, 'expectation_failed'],
    [
      'a tunnel',
      () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
      ...([405, 'method_not_allowed'] as const),
    ],
    ['long headers', () => get('/v1/ping', [`X: ${'x'.repeat(20_000)}`]), 431, 'too_large'],
    ['a long URL', () => get(`/v1/ping?${'x'.repeat(20_000)}`, []), 431, 'too_large'],
  ])('%s', async (_, request, status, error) => {
    const answers = await exchange(request());
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expectError(answers[0]!, error);
  });
});

describe('what is unusual but well-formed', () => {
  it('a body with a length is not read: the request is answered and the connection ends', async () => {
    const answers = await exchange(get('/v1/ping', ['Content-Length: 2'], `{}${SMUGGLED}`));
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect(answers[0]?.head.toLowerCase()).toContain('connection: close');
  });

  it('a body without an end: however much is sent, the connection ends', async () => {
    const socket = open();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    const ended = closed(socket);
    socket.write(get('/v1/ping', ['Transfer-Encoding: chunked']));
    const more = `10000\r\n${'x'.repeat(0x1_0000)}\r\n`;
    const send = (): void => {
      while (socket.writable && socket.write(more));
    };
    socket.on('drain', send);
    send();
    await ended;
    expect(answersIn(Buffer.concat(chunks).toString()).map(({ status }) => status)).toEqual([200]);
    const [next] = await exchange(get('/v1/ping', ['Connection: close']));
    expect(next?.status).toBe(200);
  });

  it('an HTTP/1.0 client need not say whom it asks', async () => {
    const [answer] = await exchange(`GET /healthz HTTP/1.0\r\n\r\n`);
    expect(answer?.status).toBe(200);
  });

  it('an empty body is none', async () => {
    const twice = get('/v1/ping', ['Content-Length: 0']) + get('/v1/ping', ['Connection: close']);
    const answers = await exchange(twice);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});
