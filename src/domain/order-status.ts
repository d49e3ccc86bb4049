/** What can be ordered (spec §2.7). */
export const ORDER_SERVICES = ['SKIP_TRACE', 'POSTCARD'] as const;
export type OrderService = (typeof ORDER_SERVICES)[number];

/** The states of an order (spec §3.2). */
export const ORDER_STATUSES = ['QUEUED', 'PAID', 'FULFILLED', 'CANCELLED'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
