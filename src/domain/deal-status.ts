/** The stages of a deal (spec §3.1). */
export const DEAL_STATUSES = [
  'NEW',
  'CONTACTED',
  'OFFER_SENT',
  'UNDER_CONTRACT',
  'CLOSED',
  'TERMINATED',
  'DEAD',
] as const;
export type DealStatus = (typeof DEAL_STATUSES)[number];

/**
 * Where a deal may move from each stage. Open stages may be skipped and gone back to, as on any
 * pipeline board; only a contract can be closed or terminated; what was lost can be taken up
 * again; a closed deal stays closed, since its actuals are books.
 */
export const DEAL_MOVES: Readonly<Record<DealStatus, readonly DealStatus[]>> = {
  NEW: ['CONTACTED', 'OFFER_SENT', 'UNDER_CONTRACT', 'DEAD'],
  CONTACTED: ['NEW', 'OFFER_SENT', 'UNDER_CONTRACT', 'DEAD'],
  OFFER_SENT: ['NEW', 'CONTACTED', 'UNDER_CONTRACT', 'DEAD'],
  UNDER_CONTRACT: ['NEW', 'CONTACTED', 'OFFER_SENT', 'CLOSED', 'TERMINATED', 'DEAD'],
  CLOSED: [],
  TERMINATED: ['NEW', 'CONTACTED', 'OFFER_SENT', 'UNDER_CONTRACT', 'DEAD'],
  DEAD: ['NEW', 'CONTACTED', 'OFFER_SENT', 'UNDER_CONTRACT'],
};

/** The only stage from which a deal closes: what closes is a contract. */
export const CLOSED_FROM: DealStatus = 'UNDER_CONTRACT';

/** The stages at which the work on a deal is over, for good or until it is taken up again. */
export const END_STAGES: readonly DealStatus[] = ['CLOSED', 'TERMINATED', 'DEAD'];
