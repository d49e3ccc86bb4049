/** The channel on which Postgres wakes the relays when an event is committed. */
export const OUTBOX_CHANNEL = 'lead_events_outbox';
