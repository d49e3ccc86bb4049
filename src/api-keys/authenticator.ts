import type { Db } from '../db/client.ts';
import { authenticateAll } from './authenticate.ts';
import type { Authentication } from './authentication.ts';

/** Decides on one request. */
export type Authenticator = (key: string) => Promise<Authentication>;

/** More requests in a statement would keep rows locked for longer than others should wait. */
const MOST_REQUESTS = 100;

/** A statement that takes longer waits for a row: the next one goes beside it, up to so many. */
const PATIENCE_MS = 50;
const MOST_STATEMENTS = 8;

interface Waiting {
  key: string;
  resolve(result: Authentication): void;
  reject(error: unknown): void;
}

/**
 * Makes an authenticator for a server with many requests at once: those that arrive together, or
 * while others are being decided, share a statement and its commit, which is what costs most.
 * Nothing is kept from one statement to the next.
 */
export function createAuthenticator(db: Db): Authenticator {
  const waiting: Waiting[] = [];
  let underWay = 0;
  let patience: NodeJS.Timeout | undefined;

  function decideNext(): void {
    clearTimeout(patience);
    patience = undefined;
    if (waiting.length === 0 || underWay === MOST_STATEMENTS) return;
    underWay += 1;
    void decide(waiting.splice(0, MOST_REQUESTS)).finally(() => {
      underWay -= 1;
      decideNext();
    });
    if (waiting.length > 0) beOfPatience();
  }

  function beOfPatience(): void {
    patience ??= setTimeout(decideNext, PATIENCE_MS);
  }

  async function decide(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await authenticateAll(
        db,
        batch.map(({ key }) => key),
      );
      batch.forEach(({ resolve }, i) => resolve(results[i] as Authentication));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length > 1) return;
      // After whatever else has arrived has been read.
      setImmediate(() => (underWay === 0 ? decideNext() : beOfPatience()));
    });
}
