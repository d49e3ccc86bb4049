/** Something that delivers, measured by the same receiver. */
export interface Contestant {
  name: string;
  /** Delivers so many at once; answers when it began and when the last one had arrived. */
  burst(count: number): Promise<{ startedAt: number; arrivedAt: number }>;
  /** Delivers so many at an even pace; answers each one's milliseconds to the first byte. */
  paced(count: number, perSecond: number): Promise<number[]>;
  stop(): Promise<void>;
}
