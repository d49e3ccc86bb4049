/** The workflows of this service, by the names under which Temporal knows them. */
export { beginRescore } from './begin-rescore.ts';
export { deliverEvent } from './deliver-event.ts';
export { endpointHealth } from './endpoint-health.ts';
export { purgeDeliveryLog } from './purge-delivery-log.ts';
export { replayDeliveries } from './replay-deliveries.ts';
export { rescoreParcels } from './rescore-parcels.ts';
export { sendMail } from './send-mail.ts';
export { sendPostcards } from './send-postcards.ts';
export { traceBatch } from './trace-batch.ts';
