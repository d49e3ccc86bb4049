import type { ServerResponse } from 'node:http';
import type { Received } from '../support/receiver.ts';
import type { SeededRandom } from '../support/random.ts';

/** What a receiver is like. */
export const BEHAVIOURS = ['healthy', 'flapping', 'slow', 'recovering', 'dead'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** One request as the receiver kept it. */
export interface Request {
  eventId: string;
  headers: Received['headers'];
  body: Buffer;
  at: number;
  /** When it was answered, and how; undefined while it is open, or when the sender went away. */
  answered?: { at: number; status: number };
}

/** One URL of the receiver: behaves in its way, and keeps what came. */
export interface Hook {
  behaviour: Behaviour;
  requests: Request[];
  handle(request: Received, response: ServerResponse): void;
}

const SLOW_MS = 1_500;

/** Makes a hook; a recovering one fails until `recoversAt`. */
export function createHook(behaviour: Behaviour, random: SeededRandom, recoversAt: number): Hook {
  const requests: Request[] = [];
  return {
    ...{ behaviour, requests },
    handle({ headers, body, at }, response) {
      const eventId = String(headers['x-svc-event-id']);
      const request: Request = { eventId, headers, body, at };
      requests.push(request);
      const answer = (status: number): void => {
        if (response.destroyed) return;
        response.writeHead(status).end();
        request.answered = { at: Date.now(), status };
      };
      switch (behaviour) {
        case 'healthy':
          return answer(200);
        case 'flapping':
          return answer(random.next() < 0.3 ? 500 : 204);
        case 'slow':
          return void setTimeout(() => answer(200), random.integer(SLOW_MS));
        case 'recovering':
          return answer(Date.now() < recoversAt ? 503 : 200);
        case 'dead':
          return answer(503);
      }
    },
  };
}
