/**
 * What Temporal can be told. `event`: deliver an event to the endpoints it goes to by itself.
 * `delivery`: make one delivery that was asked for. `wake`: look at a delivery again, now. `health`:
 * an endpoint has changed. `replay`, `mail` and `rescore`: begin one. `skip_trace`: a batch has been
 * paid for. `postcards`: a campaign has moved.
 */
export const OUTBOX_TASKS = [
  'event',
  'delivery',
  'wake',
  'health',
  'replay',
  'mail',
  'skip_trace',
  'postcards',
  'rescore',
] as const;
export type OutboxTask = (typeof OUTBOX_TASKS)[number];

/** Stands where an account would, for what concerns no account more than another. */
export const NO_ACCOUNT = '';
