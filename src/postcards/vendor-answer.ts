import { z } from 'zod';
import { parseInput } from '../input.ts';

/** Why a vendor does not print a card. */
export const REJECTIONS = ['undeliverable_address', 'incomplete_address', 'other'] as const;
export type Rejection = (typeof REJECTIONS)[number];

const vendorAnswer = z.object({
  rejected: z.array(
    z.object({
      order_id: z.string().max(100),
      // Vendors have many words for it, and add more.
      reason: z.enum(REJECTIONS).catch('other'),
    }),
  ),
});

/** Which cards a vendor rejected, by order; an answer of the wrong shape is a `bad_request`. */
export function parseVendorAnswer(raw: unknown): Map<string, Rejection> {
  const { rejected } = parseInput(vendorAnswer, raw);
  return new Map(rejected.map(({ order_id: id, reason }) => [id, reason]));
}
