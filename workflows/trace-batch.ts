import {
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { traceProgressQuery } from './contract.ts';
import type { TraceBatchInput, TraceChunk, TraceProgress } from './contract.ts';

const { traceChunk } = proxyActivities<Activities>({
  startToCloseTimeout: '30m',
  // A worker that dies is noticed by then (activities/heartbeating.ts).
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;

/**
 * Has every order of a batch traced that is paid for, in parts, until none is left. What the vendor
 * fails is asked for again in the next round, for as long as it takes; a part without any success is
 * followed by a wait, which grows. Where the batch stands is in Postgres, and what was found goes
 * there only: this history holds ids and counts.
 */
export async function traceBatch(input: TraceBatchInput): Promise<TraceProgress> {
  const { batchId } = input;
  let { after = null, fruitless = 0 } = input;
  let last: TraceChunk | null = null;
  let nextAt: string | null = null;
  setHandler(traceProgressQuery, () => last && progressOf(last), {
    description: 'How far it is.',
  });

  for (;;) {
    const summary = after === null ? 'from the first order on' : `after ${after}`;
    last = await traceChunk.executeWithOptions({ summary }, [{ batchId, after }]);
    if (last.left === 0) {
      setCurrentDetails(describe(progressOf(last)));
      return progressOf(last);
    }
    after = last.next;
    fruitless = last.traced === 0 ? fruitless + 1 : 0;
    if (fruitless > 0 || after === null) {
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(fruitless, 20), LONGEST_WAIT_MS);
      nextAt = new Date(Date.now() + waitMs).toISOString();
      setCurrentDetails(describe(progressOf(last)));
      await sleep(waitMs, { summary: `asks again: the vendor failed ${last.failed}` });
      nextAt = null;
    }
    setCurrentDetails(describe(progressOf(last)));
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof traceBatch>({ batchId, after, fruitless });
    }
  }

  function progressOf({ total, fulfilled, left }: TraceChunk): TraceProgress {
    return { batchId, total, fulfilled, left, nextAt };
  }
}

function describe({ total, fulfilled, left, nextAt }: TraceProgress): string {
  const state = left === 0 ? 'done' : 'tracing';
  const rest = left === 0 ? '' : `, ${left} left`;
  const next = nextAt ? `; the vendor is asked again at ${nextAt}` : '';
  return `**${state}**: ${fulfilled} of ${total} found out${rest}${next}`;
}
