import type { OrderService } from './order-status.ts';

/** What one order costs, in whole US cents. An order keeps the price of the day it was made. */
export const PRICE_CENTS: Readonly<Record<OrderService, number>> = {
  SKIP_TRACE: 12,
  POSTCARD: 79,
};
