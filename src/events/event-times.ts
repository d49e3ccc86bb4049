/**
 * The moment so many microseconds after the Unix epoch, as payloads write it:
 * `2026-01-02T03:04:05.678901Z`.
 */
export function isoFromMicroseconds(microseconds: bigint): string {
  const milliseconds = microseconds / 1000n;
  const rest = String(microseconds % 1000n).padStart(3, '0');
  return new Date(Number(milliseconds)).toISOString().replace('Z', `${rest}Z`);
}
