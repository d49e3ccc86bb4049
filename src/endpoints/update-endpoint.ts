import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { endpoints } from '../../drizzle/schema.ts';
import { parseInput } from '../input.ts';
import {
  endpointColumns,
  endpointDescription,
  eventTypeList,
  liveEndpoint,
  requireChanged,
  type Endpoint,
  type EndpointContext,
} from './endpoint.ts';

const changes = z.strictObject({
  description: endpointDescription.optional(),
  event_types: eventTypeList.optional(),
});

/**
 * Changes an endpoint's URL, event types or description; what is not given stays. Deliveries that
 * are waiting for a retry go to the new URL.
 */
export async function updateEndpoint(
  { db, checkUrl }: EndpointContext,
  input: {
    accountId: string;
    endpointId: string;
    url?: string | undefined;
    eventTypes?: string[] | undefined;
    description?: string | undefined;
  },
): Promise<Endpoint> {
  const fields = parseInput(changes, {
    event_types: input.eventTypes,
    description: input.description,
  });
  const url = input.url === undefined ? undefined : await checkUrl(input.url);
  const rows = await db
    .update(endpoints)
    .set({
      ...(url && { url: url.href }),
      ...(fields.event_types && { eventTypes: fields.event_types }),
      ...(fields.description !== undefined && { description: fields.description }),
      updatedAt: sql`now()`,
    })
    .where(liveEndpoint(input.accountId, input.endpointId))
    .returning(endpointColumns);
  return requireChanged(rows);
}
