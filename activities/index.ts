import {
  createAttemptAtOnce,
  createAttemptDelivery,
  type AttemptDependencies,
} from './attempt-delivery.ts';
import { createCancelDelivery } from './cancel-delivery.ts';

/** The activities, with what they work on passed in. */
export function createActivities(dependencies: AttemptDependencies) {
  return {
    attemptAtOnce: createAttemptAtOnce(dependencies),
    attemptDelivery: createAttemptDelivery(dependencies),
    cancelDelivery: createCancelDelivery(dependencies),
  };
}

export type Activities = ReturnType<typeof createActivities>;
