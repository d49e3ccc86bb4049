import { asyncLocalStorage } from '@temporalio/activity';
import type { Db } from '../src/db/client.ts';
import { continueReplay } from '../src/redelivery/continue-replay.ts';
import type { ReplayProgress } from '../workflows/contract.ts';

/** Makes the next batch of a replay. */
export function createContinueReplay({ db }: { db: Db }) {
  return ({ replayId }: { replayId: string }): Promise<ReplayProgress> =>
    continueReplay(db, replayId, asyncLocalStorage.getStore()?.cancellationSignal);
}
