import { setTimeout as delay } from 'node:timers/promises';
import { isPassingConflict } from '../db/postgres-errors.ts';
import type { RescoreProgress } from '../domain/rescore.ts';
import { unavailable } from '../errors.ts';
import { rescoreBatch } from './rescore-batch.ts';
import type { RescoreContext } from './rescore-context.ts';

/** The workflow hears of it after this time. */
const TURN_MS = 5_000;

/** How often a batch is tried before the workflow hears that something is in its way. */
const TRIES = 8;
const LONGEST_WAIT_MS = 400;

export interface TurnOptions {
  turnMs?: number;
  /** Told after each batch how far it is. */
  onProgress?: ((progress: RescoreProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Works on a run for some seconds, batch after batch, or until it is finished. Where it stands is in
 * Postgres; interrupted, it goes on from there. `unavailable` when others hold the parcels of its
 * next batch for longer than a few tries take.
 */
export async function continueRescore(
  context: RescoreContext,
  runId: string,
  { turnMs = TURN_MS, onProgress, signal }: TurnOptions = {},
): Promise<RescoreProgress> {
  const until = performance.now() + turnMs;
  for (;;) {
    const progress = await batchInTime(context, runId, signal);
    onProgress?.(progress);
    signal?.throwIfAborted();
    if (progress.state === 'finished' || performance.now() > until) return progress;
  }
}

async function batchInTime(
  context: RescoreContext,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<RescoreProgress> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rescoreBatch(context, runId);
    } catch (error) {
      if (!isPassingConflict(error)) throw error;
      if (tries === TRIES) {
        throw unavailable('Others hold the parcels of the next batch; trying again.', error);
      }
      await delay(Math.random() * LONGEST_WAIT_MS, undefined, signal && { signal });
    }
  }
}
