/** Something that delivers, measured by the same receiver. */
export interface Contestant {
  name: string;
  /** Delivers so many at once; answers deliveries a second. */
  burst(count: number): Promise<number>;
  /** Delivers so many at an even pace; answers each one's milliseconds to the first byte. */
  paced(count: number, perSecond: number): Promise<number[]>;
  stop(): Promise<void>;
}
