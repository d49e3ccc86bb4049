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

/** Welch's t of two samples: beyond 4.5 either way their means differ, with next to no doubt. */
export function welch(a: readonly number[], b: readonly number[]): number {
  const [of, other] = [a, b].map((samples) => {
    const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
    const squares = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return { mean, variance: squares / (samples.length - 1) / samples.length };
  });
  return (of!.mean - other!.mean) / Math.sqrt(of!.variance + other!.variance);
}
