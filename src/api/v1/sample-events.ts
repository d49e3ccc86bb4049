import { EVENT_TYPES } from '../../events/catalogue.ts';
import { sampleEvent } from '../../events/envelope.ts';

/** The sample event of every type, as the account's endpoints would receive it (spec §6.2). */
export function sampleEvents(accountId: string) {
  return EVENT_TYPES.map((type) => {
    const event = sampleEvent(type, accountId);
    return { ...event, data: { ...event.data, fixture: true as const } };
  });
}
