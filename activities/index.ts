import { ApplicationFailure } from '@temporalio/common';
import { errorMessage } from '../src/errors.ts';
import {
  createAttemptAtOnce,
  createAttemptDelivery,
  type AttemptDependencies,
} from './attempt-delivery.ts';
import { createDeliverMail } from '../src/mail/deliver-mail.ts';
import type { Mailer } from '../src/mail/mailer.ts';
import { createPurgeBatch } from '../src/deliveries/purge.ts';
import { createCancelDelivery } from './cancel-delivery.ts';
import { createContinueReplay } from './continue-replay.ts';
import { createHealthActivities, type HealthDependencies } from './health.ts';
import { heartbeating } from './heartbeating.ts';
import { createPostcardActivities, type PostcardDependencies } from './postcards.ts';
import { createTraceChunk } from './trace-chunk.ts';
import type { TraceContext } from '../src/skip-trace/trace-chunk.ts';

import { createRescoreActivities, type RescoreDependencies } from './rescore.ts';

export interface ActivityDependencies
  extends
    AttemptDependencies,
    HealthDependencies,
    TraceContext,
    PostcardDependencies,
    RescoreDependencies {
  mailer: Mailer;
  /** How long the delivery log is kept, in milliseconds (spec §8). */
  retentionMs: number;
}

/** The activities, with what they work on passed in. */
export function createActivities(dependencies: ActivityDependencies) {
  const health = createHealthActivities(dependencies);
  const postcards = createPostcardActivities(dependencies);
  const rescore = createRescoreActivities(dependencies);
  return {
    attemptAtOnce: discreet(createAttemptAtOnce(dependencies)),
    attemptDelivery: discreet(heartbeating(createAttemptDelivery(dependencies))),
    cancelDelivery: discreet(createCancelDelivery(dependencies)),
    warnOwner: discreet(health.warnOwner),
    beginLastAttempt: discreet(health.beginLastAttempt),
    pauseFailing: discreet(health.pauseFailing),
    continueReplay: discreet(heartbeating(createContinueReplay(dependencies))),
    deliverMail: discreet(createDeliverMail(dependencies)),
    traceChunk: discreet(heartbeating(createTraceChunk(dependencies))),
    campaignStanding: discreet(postcards.campaignStanding),
    submitCards: discreet(heartbeating(postcards.submitCards)),
    advanceCampaign: discreet(postcards.advanceCampaign),
    beginRescore: discreet(rescore.beginRescore),
    continueRescore: discreet(heartbeating(rescore.continueRescore)),
    purgeBatch: discreet(heartbeating(createPurgeBatch(dependencies))),
  };
}

export type Activities = ReturnType<typeof createActivities>;

/**
 * What an activity throws is kept in Temporal's history for operators to read: the message without
 * a query's parameters, and no stack.
 */
function discreet<Input, Output>(
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error;
      const type = error instanceof Error ? error.name : 'Error';
      throw ApplicationFailure.retryable(errorMessage(error), type);
    }
  };
}
