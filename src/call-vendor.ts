/**
 * A vendor did not answer. Its own words are not repeated: they may hold what it was asked, and this
 * text is kept in logs and histories.
 */
export class VendorError extends Error {
  override readonly name = 'VendorError';

  constructor(cause: unknown) {
    const kind = cause instanceof Error ? cause.name : 'Error';
    super(`The vendor did not answer (${/^\w{1,40}$/.test(kind) ? kind : 'Error'}).`);
  }
}

/**
 * Asks a vendor, with one limit in milliseconds. Rejects with a {@link VendorError}, or with the
 * reason of `signal` when that was what ended it.
 */
export async function callVendor<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    return await call(signal ? AbortSignal.any([signal, limit]) : limit);
  } catch (error) {
    signal?.throwIfAborted();
    throw new VendorError(error);
  }
}
