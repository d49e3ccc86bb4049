import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerName, ANSWERS_HELP, give, parseAnswer, type Answer } from './answer.ts';
import { verify, type Verdict } from './verify.ts';

/** One request as the receiver saw it. */
export interface Receipt {
  at: Date;
  eventId: string;
  eventType: string;
  verdict: Verdict;
  /** How often this event id has been seen, this time included. */
  seen: number;
  answered: string;
  body: unknown;
}

export interface ReceiverOptions {
  host: string;
  port: number;
  /** The signing secrets that are good now: two while one is being replaced, none before any is known. */
  secrets: () => Promise<readonly string[]>;
  onReceipt: (receipt: Receipt) => void;
}

export interface Receiver {
  url: string;
  close(): Promise<void>;
}

const OK: Answer = { kind: 'status', status: 200 };
const KEPT = 100;
const MAX_BODY = 1_000_000;

/**
 * A webhook receiver to try things with. POST anywhere: it verifies, counts duplicates by event id
 * and answers. GET / tells what came. PUT /answer tells it how to answer from then on, e.g.
 * `{"answer":"500","times":2}`. A bad signature is answered 401 whatever it was told.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const seen = new Map<string, number>();
  const receipts: Receipt[] = [];
  let told: { answer: Answer; times: number } = { answer: OK, times: Infinity };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === undefined) return json(response, 413, { error: 'the body is too large' });
    if (request.method === 'POST') return receive(request, response, body);
    if (request.method === 'PUT' && request.url === '/answer') return tell(response, body);
    if (request.method === 'GET' && request.url === '/') return json(response, 200, summary());
    return json(response, 404, { error: 'POST an event, PUT /answer or GET /' });
  }

  async function receive(request: IncomingMessage, response: ServerResponse, body: Buffer) {
    const signed = {
      ...{ signature: header(request, 'signature'), timestamp: header(request, 'timestamp') },
    };
    let verdict: Verdict = { ok: false, problem: 'no signing secret is known yet' };
    for (const secret of await options.secrets()) {
      verdict = await verify(secret, signed, body);
      if (verdict.ok) break;
    }
    const eventId = header(request, 'event-id') ?? '(no event id)';
    seen.set(eventId, (seen.get(eventId) ?? 0) + 1);
    const answer: Answer = verdict.ok ? nextAnswer() : { kind: 'status', status: 401 };
    const receipt: Receipt = {
      at: new Date(),
      eventId,
      eventType: header(request, 'event-type') ?? '(no event type)',
      verdict,
      seen: seen.get(eventId) ?? 1,
      answered: answerName(answer),
      body: parseJson(body.toString('utf8')),
    };
    receipts.push(receipt);
    if (receipts.length > KEPT) receipts.shift();
    options.onReceipt(receipt);
    give(answer, response);
  }

  function nextAnswer(): Answer {
    const { answer } = told;
    told.times -= 1;
    if (told.times <= 0) told = { answer: OK, times: Infinity };
    return answer;
  }

  function tell(response: ServerResponse, body: Buffer): void {
    const wish = parseJson(body.toString('utf8')) as
      { answer?: unknown; times?: unknown } | undefined;
    const answer = parseAnswer(String(wish?.answer));
    if (!answer) return json(response, 400, { error: `answer: must be ${ANSWERS_HELP}` });
    const times = wish?.times === undefined ? Infinity : Number(wish.times ?? NaN);
    if (times !== Infinity && !(Number.isInteger(times) && times >= 1)) {
      return json(response, 400, { error: 'times: must be a whole number from 1' });
    }
    told = { answer, times };
    return json(response, 200, summary());
  }

  function summary() {
    const counts = [...seen.values()];
    return {
      answering: answerName(told.answer),
      times_left: Number.isFinite(told.times) ? told.times : null,
      requests: counts.reduce((sum, count) => sum + count, 0),
      events: counts.length,
      duplicates: counts.reduce((sum, count) => sum + count - 1, 0),
      latest: receipts.toReversed(),
    };
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size <= MAX_BODY ? Buffer.concat(chunks) : undefined;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[`x-svc-${name}`];
  return typeof value === 'string' ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(value, null, 2)}\n`);
}
