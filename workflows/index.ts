/** The workflows of this service, by the names under which Temporal knows them. */
export { deliverEvent } from './deliver-event.ts';
