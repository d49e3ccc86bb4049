import { EVENT_CATALOGUE, type EventData, type EventType } from './catalogue.ts';

/** What every event body consists of (spec §2.1). */
export interface EventEnvelope<Type extends EventType = EventType> {
  id: string;
  type: Type;
  created_at: string;
  user_id: string;
  data: EventData<Type>;
}

/**
 * The body of an event as bytes. They are made once, when the event is recorded, and stored: every
 * attempt, retry and redelivery sends exactly these, so that what was signed is what arrives.
 */
export function encodeBody(envelope: EventEnvelope): Buffer {
  return Buffer.from(bodyText(envelope), 'utf8');
}

/** The same as text, which is well-formed whatever the data holds: these bytes are its UTF-8. */
export function bodyText({ id, type, created_at, user_id, data }: EventEnvelope): string {
  return JSON.stringify({ id, type, created_at, user_id, data });
}

/** When all samples are said to have happened. */
export const SAMPLE_CREATED_AT = '2026-01-09T16:20:00.000000Z';

/** The id of a type's sample event: the same for everybody (spec §6.2). */
export function sampleEventId(type: string): string {
  return `evt_sample_${type.replaceAll('.', '_')}`;
}

/** The sample event of a type for an account: a fixed id, and `fixture` true (spec §6.2). */
export function sampleEvent<Type extends EventType>(
  type: Type,
  accountId: string,
): EventEnvelope<Type> {
  return {
    id: sampleEventId(type),
    type,
    created_at: SAMPLE_CREATED_AT,
    user_id: accountId,
    data: { ...EVENT_CATALOGUE[type].sample, fixture: true } as EventData<Type>,
  };
}
