/** What can be ordered (spec §2.7). */
export const ORDER_SERVICES = ['SKIP_TRACE', 'POSTCARD'] as const;
export type OrderService = (typeof ORDER_SERVICES)[number];

/** The states of an order (spec §3.2). */
export const ORDER_STATUSES = ['QUEUED', 'PAID', 'FULFILLED', 'CANCELLED'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * Where an order may go from each state, which spec §3.2 leaves open: it is paid, then done. Until
 * it is done it can be cancelled; what was done or cancelled stays so, because it is on the books.
 */
export const ORDER_MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  QUEUED: ['PAID', 'CANCELLED'],
  PAID: ['FULFILLED', 'CANCELLED'],
  FULFILLED: [],
  CANCELLED: [],
};

/** Whether an order may still change. */
export function isOpenOrder(status: OrderStatus): boolean {
  return ORDER_MOVES[status].length > 0;
}
