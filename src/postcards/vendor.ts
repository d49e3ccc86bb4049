/** One card: to whom and where. */
export interface Card {
  orderId: string;
  parcelId: string;
  recipient: string;
  mailingAddress: string;
}

/** The cards of a campaign, as they are handed over. */
export interface PrintRequest {
  /** The idempotency key: handed over again with the same one, nothing is printed twice. */
  campaignId: string;
  cards: readonly Card[];
  /** Ends the request when its worker stops, or when it takes too long. */
  signal: AbortSignal;
}

/** One that prints and posts cards. What it answers is checked by the one who asked. */
export interface PostcardVendor {
  /** Takes the cards; answers which of them it rejects. Rejects itself when it takes none now. */
  submit(request: PrintRequest): Promise<unknown>;
}
