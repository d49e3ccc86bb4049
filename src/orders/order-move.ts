import { ORDER_MOVES, type OrderStatus } from '../domain/order-status.ts';
import { conflict } from '../errors.ts';

/** Refuses a move that ORDER_MOVES does not have, as a `conflict` that says which it has. */
export function requireOrderMove(from: OrderStatus, to: OrderStatus, what = 'An order'): void {
  if (ORDER_MOVES[from].includes(to)) return;
  const allowed = ORDER_MOVES[from].join(', ');
  throw conflict(
    `${what} cannot move from ${from} to ${to}; ` +
      (allowed ? `from ${from} it may move to ${allowed}.` : `${from} is final.`),
  );
}
