import { AppError } from '../errors.ts';

/**
 * The connection of a transaction was lost before COMMIT was sent, so PostgreSQL rolls it back.
 * `begin()` rejects with it, and so does every later statement of that transaction, which is
 * refused here without reaching any connection. Safe to retry as a whole.
 */
export class TransactionLostError extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'The database connection was lost; this transaction is rolled back.', {
      cause,
    });
  }
}

/**
 * The connection was lost while COMMIT was in flight: the transaction is either there as a whole
 * or not at all, and only the database knows. Look for what it wrote (by its own key) before
 * trying again; for a moment after this error the server may still be working on the COMMIT.
 */
export class CommitOutcomeUnknownError extends AppError {
  constructor(cause: unknown) {
    super(
      'unavailable',
      'The database connection was lost during COMMIT; its outcome is unknown.',
      {
        cause,
      },
    );
  }
}

/** A transaction's handle was used after its `begin()` had settled: a bug in the caller. */
export class TransactionClosedError extends Error {
  override readonly name = 'TransactionClosedError';

  constructor() {
    super('This transaction has ended; its handle cannot be used any more.');
  }
}
