/** Milliseconds on a clock that all processes of this machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

export interface ToReceiver {
  /** Forget everything, and tell when so many requests have come. */
  await: number;
}

export type FromReceiver =
  | { kind: 'listening'; port: number }
  | { kind: 'arrived'; arrivals: Record<string, number>; lastAt: number };

/** Do `count` deliveries: all at once, or so many a second. */
export interface ToBareEngine {
  count: number;
  perSecond: number | null;
}

export type FromBareEngine =
  | { kind: 'ready' }
  /** When each delivery was asked for, by id. */
  | { kind: 'asked'; times: Record<string, number>; firstAt: number };

/** What a whole rescore took and came to. */
export interface FromRescorer {
  kind: 'done';
  seconds: number;
  parcels: number;
  changed: number;
  events: number;
  heldBack: number;
  summaries: number;
  peakMegabytes: number;
  /** Processor time of its process. */
  cpuSeconds: number;
}
