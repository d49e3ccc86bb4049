/** Things to be closed in the reverse order of their opening. */
export interface Stack {
  /** Keeps how to close what was just opened. */
  push(close: () => Promise<void>): void;
  /** Closes everything, the newest first; one that fails does not keep the others open. */
  close(): Promise<void>;
}

export function createStack(): Stack {
  const closers: (() => Promise<void>)[] = [];
  return {
    push: (close) => void closers.push(close),
    async close() {
      const faults: unknown[] = [];
      for (let close = closers.pop(); close; close = closers.pop()) {
        await close().catch((error: unknown) => faults.push(error));
      }
      if (faults.length > 0) throw faults[0];
    },
  };
}
