/** An answer that takes longer than this is slow, in milliseconds. */
const SLOW_MS = 1_000;

/** Remembers, in this process, which endpoints failed or answered slowly the last time. */
export interface TroubledEndpoints {
  note(endpointId: string, result: { ok: boolean; durationMs: number }): void;
  has(endpointId: string): boolean;
}

/** Only troubled endpoints are remembered, so its size is theirs. */
export function createTroubledEndpoints(): TroubledEndpoints {
  const troubled = new Set<string>();
  return {
    note(endpointId, { ok, durationMs }) {
      if (ok && durationMs <= SLOW_MS) troubled.delete(endpointId);
      else troubled.add(endpointId);
    },
    has: (endpointId) => troubled.has(endpointId),
  };
}
