/*
 * Every table of a tenant carries account_id, and keys between such tables are composite
 * (account_id, id): a row of one account that points to another account's cannot be stored.
 */
export * from './tables/accounts.ts';
export * from './tables/parcels.ts';
export * from './tables/deals.ts';
export * from './tables/endpoints.ts';
export * from './tables/events.ts';
export * from './tables/deliveries.ts';
export * from './tables/outbox.ts';
export * from './tables/sources.ts';
export * from './tables/orders.ts';
export * from './tables/rescores.ts';
