import {
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
} from '@temporalio/workflow';
import type { AttemptInput } from '../activities/attempt-delivery.ts';
import type { Activities } from '../activities/index.ts';
import type { AttemptOutcome, DeliveryState } from '../src/domain/delivery.ts';
import type { DeliveryBranch, DeliveryStatus } from './contract.ts';

/*
 * A receiver's failure is an outcome, which the workflow times. An activity throws only for faults
 * of this service (Postgres away, an endpoint at its limit), and those are tried again for as long
 * as it takes, since nothing may be lost.
 */
const { attemptDelivery, cancelDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  // A worker that dies is noticed by then (activities/heartbeating.ts).
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

/*
 * The first attempt runs inside the workflow task, as a local activity: most deliveries need no
 * other, and it spares the server half of its work (docs/architecture.md has the figures). It is
 * tried once and may be declined; everything else is an ordinary activity, which operators can see
 * while it is pending.
 */
const { attemptAtOnce } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '20s',
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
  private readonly branch: DeliveryBranch;
  private readonly changed: () => void;

  constructor(branch: DeliveryBranch, changed: () => void) {
    this.branch = branch;
    this.changed = changed;
    this.attemptsMade = branch.attemptsMade;
  }

  /** Runs until the delivery is final. */
  async run(): Promise<void> {
    let waitMs = this.branch.waitMs;
    for (;;) {
      if (waitMs > 0) await this.wait(waitMs);
      if (this.cancelRequested) return this.finishCancelled();
      const outcome = await this.attempt();
      if (outcome.state !== 'retrying') return;
      waitMs = outcome.retryInMs;
    }
  }

  private async attempt(): Promise<AttemptOutcome> {
    const { deliveryId, endpointId } = this.branch;
    const number = this.attemptsMade + 1;
    this.attemptRunning = true;
    const input = { deliveryId, endpointId, number };
    const outcome =
      (number === 1 ? await this.attemptAtOnce(input) : undefined) ??
      (await attemptDelivery.executeWithOptions({ summary: `attempt ${number} to ${endpointId}` }, [
        input,
      ]));
    this.attemptRunning = false;
    if (outcome.state !== 'skipped') this.attemptsMade = number;
    this.state = outcome.state;
    this.lastResult = outcome.reason;
    if (outcome.state !== 'retrying') this.changed();
    return outcome;
  }

  /** Undefined when the attempt was declined or could not be carried through. */
  private async attemptAtOnce(input: AttemptInput): Promise<AttemptOutcome | undefined> {
    try {
      const summary = `attempt 1 to ${input.endpointId}`;
      return (await attemptAtOnce.executeWithOptions({ summary }, [input])) ?? undefined;
    } catch (error) {
      // A local activity's failure comes as it is, not wrapped in an ActivityFailure.
      if (error instanceof TemporalFailure && !isCancellation(error)) return undefined;
      throw error;
    }
  }

  private async wait(milliseconds: number): Promise<void> {
    this.state = this.attemptsMade > 0 ? 'retrying' : 'pending';
    this.nextAttemptAt = new Date(Date.now() + milliseconds);
    this.wakeRequested = false;
    this.changed();
    const after = this.lastResult ? ` after ${this.lastResult}` : '';
    await condition(() => this.wakeRequested || this.cancelRequested, milliseconds, {
      summary: `${this.branch.endpointId}: retry ${this.attemptsMade}${after}`,
    });
    this.nextAttemptAt = null;
  }

  private async finishCancelled(): Promise<void> {
    await cancelDelivery({ deliveryId: this.branch.deliveryId });
    this.state = 'skipped';
    this.lastResult = 'cancelled';
    this.changed();
  }

  retryNow(): DeliveryStatus {
    this.wakeRequested = true;
    return this.status();
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
