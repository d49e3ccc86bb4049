/**
 * What is to become of a property once it is under contract (spec §2.3), and what each word means.
 * Words may be added, never taken away.
 */
export const DEAL_EXIT_STRATEGIES = {
  undecided: 'not decided yet',
  assigned: 'the contract is assigned to a buyer for a fee',
  double_close: 'bought and sold on in two closings, one after the other',
  novation: 'sold on the open market under a new contract, in agreement with the owner',
  wholetail: 'bought and sold again as it is',
  fix_and_flip: 'bought, renovated and sold',
  rental: 'bought and let',
  seller_finance: 'bought or sold on payments to the seller',
} as const;
export type DealExitStrategy = keyof typeof DEAL_EXIT_STRATEGIES;
