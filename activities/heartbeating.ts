import { asyncLocalStorage } from '@temporalio/activity';

/** How often an attempt says that it is alive; its heartbeatTimeout is a few times that. */
const HEARTBEAT_MS = 3_000;

/**
 * An activity that tells Temporal that its worker lives. When a worker dies, what it was doing goes
 * to another within seconds instead of when the activity's whole time is up. What the activity tells
 * `note` last goes with it, for operators to see.
 */
export function heartbeating<Input, Output>(
  activity: (input: Input, note: (details: unknown) => void) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const context = asyncLocalStorage.getStore();
    let noted: unknown;
    const timer = setInterval(() => context?.heartbeat(noted), HEARTBEAT_MS);
    try {
      return await activity(input, (details) => (noted = details));
    } finally {
      clearInterval(timer);
    }
  };
}
