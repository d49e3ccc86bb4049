import { startChild } from './child.ts';
import type { FromReceiver, ToReceiver } from './messages.ts';

export interface BenchReceiver {
  url: string;
  /** From now on: when each id arrived, once so many requests have come. */
  collect(count: number): Promise<{ arrivals: Record<string, number>; lastAt: number }>;
  stop(): Promise<void>;
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const child = startChild<ToReceiver, FromReceiver>('./receiver-process.ts', []);
  const { port } = await child.next('listening');
  return {
    url: `http://127.0.0.1:${port}`,
    collect(count) {
      child.tell({ await: count });
      return child.next('arrived');
    },
    stop: child.stop,
  };
}

/** Milliseconds from asked to arrived, for every id. */
export function waits(asked: Record<string, number>, arrived: Record<string, number>): number[] {
  return Object.entries(asked).map(([id, at]) => (arrived[id] ?? NaN) - at);
}
