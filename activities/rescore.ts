import { asyncLocalStorage } from '@temporalio/activity';
import type { Db } from '../src/db/client.ts';
import type { RescoreProgress } from '../src/domain/rescore.ts';
import { continueRescore } from '../src/rescore/continue-rescore.ts';
import type { RescoreContext } from '../src/rescore/rescore-context.ts';
import { requestRescore } from '../src/rescore/start-rescore.ts';

export interface RescoreDependencies {
  db: Db;
  rescore: Omit<RescoreContext, 'db'>;
}

/** The steps of a rescore. */
export function createRescoreActivities({ db, rescore }: RescoreDependencies) {
  return {
    /** Begins the weekly run, once for a request key; or answers the one that runs already. */
    async beginRescore({ requestKey }: { requestKey: string }) {
      const { run, begun } = await requestRescore(db, { trigger: 'schedule', requestKey });
      return { runId: run.id, begun: begun || run.requestKey === requestKey };
    },

    /** Works on a run for some seconds; answers how far it is. */
    continueRescore: (
      { runId }: { runId: string },
      note: (progress: RescoreProgress) => void,
    ): Promise<RescoreProgress> =>
      continueRescore({ db, ...rescore }, runId, {
        onProgress: note,
        signal: asyncLocalStorage.getStore()?.cancellationSignal,
      }),
  };
}
