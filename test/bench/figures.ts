/** The value below which a share of the sorted samples lies (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
