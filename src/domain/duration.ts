/**
 * Durations as people write them in the environment: `250ms`, `10s`, `5m`, `2h`, `3d`.
 * Inside the program every duration is a whole number of milliseconds.
 */
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PATTERN = /^(\d{1,9})(ms|s|m|h|d)$/;

/** What {@link parseDuration} accepts, for error messages. */
export const DURATION_FORMAT = 'a whole number with a unit (ms, s, m, h or d), such as 30s or 2h';

/** Reads one duration as milliseconds; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text.trim());
  if (!match) return undefined;
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}
