/** The channel on which Postgres wakes the relays when there is something to tell Temporal. */
export const OUTBOX_CHANNEL = 'lead_events_outbox';
