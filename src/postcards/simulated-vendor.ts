import { createHash } from 'node:crypto';
import type { Rejection } from './vendor-answer.ts';
import type { Card, PostcardVendor } from './vendor.ts';

/*
 * No vendor at all: nothing is printed and nothing is posted. It answers as one would.
 */

/** One card in so many is rejected although its address looks good. */
const REJECTED_ONE_IN = 50;

/**
 * Takes cards; rejects those whose address has no ZIP code, and now and then another one, always the
 * same.
 */
export function createSimulatedPrinter(): PostcardVendor {
  return {
    submit({ cards, signal }) {
      signal.throwIfAborted();
      const rejected = cards.flatMap((card) => {
        const reason = simulatedRejection(card);
        return reason ? [{ order_id: card.orderId, reason }] : [];
      });
      return Promise.resolve({ rejected });
    },
  };
}

/** Why this card is rejected here; undefined when it is taken. */
export function simulatedRejection({
  parcelId,
  mailingAddress,
}: Pick<Card, 'parcelId' | 'mailingAddress'>): Rejection | undefined {
  if (!/\b\d{5}(-\d{4})?\s*$/.test(mailingAddress)) return 'incomplete_address';
  const number = createHash('sha256').update(`card:${parcelId}`).digest().readUInt32BE();
  return number % REJECTED_ONE_IN === 0 ? 'undeliverable_address' : undefined;
}
