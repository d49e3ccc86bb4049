/** The value below which this share (0 to 1) of the sorted numbers lies; 0 of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
