import type { AttemptError } from '../domain/attempt-error.ts';

/** The receiver took the event: a 2xx, with the whole body or as much of it as is read. */
export interface SendSuccess {
  ok: true;
  statusCode: number;
  durationMs: number;
  /** The first 1 KB of the answer's body as text. */
  responseExcerpt: string;
}

/** The attempt failed, for one reason of the fixed vocabulary. */
export interface SendFailure {
  ok: false;
  error: AttemptError;
  /** Null when no status was received. */
  statusCode: number | null;
  durationMs: number;
  responseExcerpt: string | null;
  /** Of a redirect only: where it points, without its query; null when it does not say. */
  redirectTarget?: string | null;
}

/** What one attempt came to. */
export type SendResult = SendSuccess | SendFailure;
