/**
 * What an attempt came to in one word: its error, or else the status code that was answered. Null
 * when neither is known.
 */
export function attemptResult(error: string | null, statusCode: number | null): string | null {
  if (error !== null && error !== 'http_status') return error;
  return statusCode === null ? null : String(statusCode);
}
