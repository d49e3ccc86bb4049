import { z } from 'zod';

const receivedEvent = z.looseObject({
  id: z.string(),
  type: z.string(),
  created_at: z.string(),
  data: z.record(z.string(), z.unknown()),
});

/** An event as the receiver read it. */
export type ReceivedEvent = z.output<typeof receivedEvent>;

/** Reads what the receiver got as an event, the way a customer would. */
export function eventBody(body: unknown): ReceivedEvent {
  return receivedEvent.parse(body);
}
