/** What a skip-trace vendor is asked. */
export interface TraceRequest {
  /** The idempotency key: asked again with the same one, it answers the same and charges once. */
  orderId: string;
  parcelId: string;
  address: string;
  city: string;
  zip: string;
  ownerName: string;
  mailingAddress: string;
  /** Ends the request when its worker stops, or when it takes too long. */
  signal: AbortSignal;
}

/** One that finds the contacts of owners. What it answers is checked by the one who asked. */
export interface SkipTraceVendor {
  /** The answer as it came; rejects when there is none. */
  trace(request: TraceRequest): Promise<unknown>;
}
