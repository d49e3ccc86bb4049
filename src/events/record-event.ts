import type { Tx } from '../db/client.ts';
import type { EventType } from './catalogue.ts';
import type { EventEnvelope } from './envelope.ts';
import { recordEvents, type AnyNewEvent, type NewEvent } from './record-events.ts';

/** Records one event in the transaction of the action that caused it; see {@link recordEvents}. */
export async function recordEvent<Type extends EventType>(
  tx: Tx,
  event: NewEvent<Type>,
): Promise<EventEnvelope<Type>> {
  const [envelope] = await recordEvents(tx, [event as unknown as AnyNewEvent]);
  return envelope as EventEnvelope<Type>;
}
