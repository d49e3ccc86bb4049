import {
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { AttemptOutcome, DeliveryState } from '../src/domain/delivery.ts';
import { ATTEMPT_OPTIONS } from './attempt-options.ts';
import type { DeliveryBranch, DeliveryStatus } from './contract.ts';

const { attemptDelivery, cancelDelivery } = proxyActivities<Activities>(ATTEMPT_OPTIONS);

/*
 * The first attempt runs inside the workflow task, as a local activity: most deliveries need no
 * other, and it spares the server half of its work (docs/architecture.md has the figures). It is
 * tried once and may be declined; everything else is an ordinary activity, which operators can see
 * while it is pending.
 */
const { attemptAtOnce } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5m',
  retry: { maximumAttempts: 1 },
});

/** One event on its way to one endpoint: attempts, and durable timers between them. */
export class EndpointDelivery {
  private state: DeliveryState = 'pending';
  private attemptsMade: number;
  private lastResult: string | null = null;
  private nextAttemptAt: Date | null = null;
  private attemptRunning = false;
  private wakeRequested = false;
  private cancelRequested = false;
  /** What made `run` give up: a bug in this service. */
  fault: unknown;
  private readonly branch: DeliveryBranch;
  private readonly changed: () => void;

  constructor(branch: DeliveryBranch, changed: () => void) {
    this.branch = branch;
    this.changed = changed;
    this.attemptsMade = branch.attemptsMade;
  }

  /**
   * Runs until the delivery is final. It never rejects; an error is kept in `fault`, so that the
   * branches beside this one can go on. Written flat, because the SDK takes a stack trace for every
   * promise that workflow code makes, and that is most of what a workflow task costs.
   */
  async run(): Promise<void> {
    const { deliveryId, endpointId, lane } = this.branch;
    let waitMs = this.branch.waitMs;
    try {
      for (;;) {
        if (waitMs > 0) {
          const summary = this.beginWait(waitMs);
          await condition(() => this.wakeRequested || this.cancelRequested, waitMs, { summary });
          this.nextAttemptAt = null;
          this.wakeRequested = false;
        }
        if (this.cancelRequested) {
          await cancelDelivery({ deliveryId });
          return this.settle({ state: 'skipped', reason: 'cancelled' });
        }
        const number = this.attemptsMade + 1;
        const input = { deliveryId, endpointId, number, ...(lane && { lane }) };
        const options = { summary: `attempt ${number} to ${endpointId}` };
        this.attemptRunning = true;
        let outcome: AttemptOutcome | null = null;
        if (number === 1) {
          try {
            outcome = await attemptAtOnce.executeWithOptions(options, [input]);
          } catch (error) {
            if (!isActivityFault(error)) throw error;
          }
        }
        outcome ??= await attemptDelivery.executeWithOptions(options, [input]);
        this.attemptRunning = false;
        if (outcome.state !== 'skipped') this.attemptsMade = number;
        if (outcome.state !== 'retrying') return this.settle(outcome);
        this.lastResult = outcome.reason;
        waitMs = outcome.retryInMs;
      }
    } catch (error) {
      this.fault = error;
    }
  }

  /** Notes when the next attempt is; answers the timer's summary. */
  private beginWait(milliseconds: number): string {
    this.state = this.attemptsMade > 0 ? 'retrying' : 'pending';
    this.nextAttemptAt = new Date(Date.now() + milliseconds);
    this.changed();
    const after = this.lastResult ? ` after ${this.lastResult}` : '';
    return `${this.branch.endpointId}: retry ${this.attemptsMade}${after}`;
  }

  private settle({ state, reason }: { state: DeliveryState; reason: string }): void {
    this.state = state;
    this.lastResult = reason;
    this.changed();
  }

  retryNow(): DeliveryStatus {
    this.wakeRequested = true;
    return this.status();
  }

  /** Asks Postgres at once instead of when the wait is over. */
  recheck(): void {
    this.wakeRequested = true;
  }

  cancel(): DeliveryStatus {
    this.cancelRequested = true;
    return this.status();
  }

  /** @throws unless a retry is scheduled. */
  assertWaiting(): void {
    if (this.nextAttemptAt === null) {
      throw new Error(
        this.attemptRunning ? 'An attempt is under way.' : `The delivery is ${this.state}.`,
      );
    }
  }

  /** @throws when the delivery is final. */
  assertUnfinished(): void {
    if (this.state !== 'pending' && this.state !== 'retrying') {
      throw new Error(`The delivery is ${this.state}.`);
    }
  }

  status(): DeliveryStatus {
    return {
      deliveryId: this.branch.deliveryId,
      endpointId: this.branch.endpointId,
      state: this.state,
      attemptsMade: this.attemptsMade,
      lastResult: this.lastResult,
      nextAttemptAt: this.nextAttemptAt?.toISOString() ?? null,
    };
  }
}

/** A local activity's failure comes as it is, not wrapped in an ActivityFailure. */
function isActivityFault(error: unknown): boolean {
  return error instanceof TemporalFailure && !isCancellation(error);
}
