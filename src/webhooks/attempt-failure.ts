import { describeAttemptError, type AttemptError } from '../domain/attempt-error.ts';

/** Ends an attempt for a reason of the fixed vocabulary that no library error expresses. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure';
  readonly reason: AttemptError;

  constructor(reason: AttemptError) {
    super(describeAttemptError(reason));
    this.reason = reason;
  }
}
