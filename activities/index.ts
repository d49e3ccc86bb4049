import { ApplicationFailure } from '@temporalio/common';
import { errorMessage } from '../src/errors.ts';
import {
  createAttemptAtOnce,
  createAttemptDelivery,
  type AttemptDependencies,
} from './attempt-delivery.ts';
import { createCancelDelivery } from './cancel-delivery.ts';
import { heartbeating } from './heartbeating.ts';

/** The activities, with what they work on passed in. */
export function createActivities(dependencies: AttemptDependencies) {
  return {
    attemptAtOnce: discreet(createAttemptAtOnce(dependencies)),
    attemptDelivery: discreet(heartbeating(createAttemptDelivery(dependencies))),
    cancelDelivery: discreet(createCancelDelivery(dependencies)),
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
