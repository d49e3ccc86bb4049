/**
 * Why a deal came to nothing (spec §2.3), and what each word means. Words may be added, never taken
 * away.
 */
export const DEAL_DEAD_REASONS = {
  not_interested: 'the owner does not want to sell',
  unreachable: 'the owner cannot be reached',
  price: 'no agreement on the price',
  sold_elsewhere: 'the owner has sold to somebody else',
  listed: 'the owner has listed it with an agent',
  title: 'the title cannot be cleared',
  condition: 'repairs would cost too much',
  no_buyer: 'nobody was found to buy it',
  duplicate: 'another deal is about the same property',
  other: 'something else; the note may say what',
} as const;
export type DealDeadReason = keyof typeof DEAL_DEAD_REASONS;
