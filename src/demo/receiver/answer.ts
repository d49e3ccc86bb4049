import type { ServerResponse } from 'node:http';

/** What the receiver can be told to do: answer a status, redirect, or misbehave. */
export const ANSWERS_HELP =
  'a status from 200 to 599, or: redirect (302), hang (never answer), drip (one byte a second), cut (drop the connection)';

export type Answer =
  { kind: 'status'; status: number } | { kind: 'redirect' | 'hang' | 'drip' | 'cut' };

/** Reads an answer; undefined when it is none. */
export function parseAnswer(text: string): Answer | undefined {
  if (/^[2-5]\d\d$/.test(text)) {
    const status = Number(text);
    return status === 302 ? { kind: 'redirect' } : { kind: 'status', status };
  }
  return ['redirect', 'hang', 'drip', 'cut'].includes(text)
    ? { kind: text as 'redirect' | 'hang' | 'drip' | 'cut' }
    : undefined;
}

/** The answer in the words it is asked for with. */
export function answerName(answer: Answer): string {
  return answer.kind === 'status' ? String(answer.status) : answer.kind;
}

/** Gives the answer. */
export function give(answer: Answer, response: ServerResponse): void {
  switch (answer.kind) {
    case 'status':
      response.writeHead(answer.status, { 'content-type': 'text/plain' });
      response.end(answer.status < 300 ? 'thank you\n' : `told to answer ${answer.status}\n`);
      return;
    case 'redirect':
      response.writeHead(302, { location: 'https://www.example.com/elsewhere' });
      response.end();
      return;
    case 'hang':
      return;
    case 'cut':
      response.socket?.destroy();
      return;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('.'), 1_000);
      response.on('close', () => clearInterval(timer));
      return;
    }
  }
}
