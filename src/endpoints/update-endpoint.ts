import { z } from 'zod';
import { endpoints } from '../../drizzle/schema.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
import { parseInput } from '../input.ts';
import { shownUrl } from '../webhooks/shown-url.ts';
import { auditEndpoint, changeEndpoint, FRESH_START } from './change-endpoint.ts';
import {
  endpointColumns,
  endpointDescription,
  eventTypeList,
  liveEndpoint,
  requireFound,
  type Endpoint,
  type EndpointContext,
  type WhichEndpoint,
} from './endpoint.ts';

const changes = z.strictObject({
  description: endpointDescription.optional(),
  event_types: eventTypeList.optional(),
});

/**
 * Changes an endpoint's URL, event types or description; what is not given stays. Deliveries that
 * are waiting for a retry go to the new URL, and what failed at the old one no longer counts.
 */
export async function updateEndpoint(
  { db, actor, checkUrl }: EndpointContext,
  input: WhichEndpoint & {
    url?: string | undefined;
    eventTypes?: string[] | undefined;
    description?: string | undefined;
  },
): Promise<Endpoint> {
  const { event_types: eventTypes, description } = parseInput(changes, {
    event_types: input.eventTypes,
    description: input.description,
  });
  const url = input.url === undefined ? undefined : (await checkUrl(input.url)).href;
  return db.transaction(async (tx) => {
    // Locked, so that two changes at once see each other's URL.
    const [locked] = await tx
      .select(endpointColumns)
      .from(endpoints)
      .where(liveEndpoint(input))
      .for('no key update');
    const before = requireFound(locked);
    const moved = url !== undefined && url !== before.url;
    const changed = await changeEndpoint(tx, liveEndpoint(input), {
      // A paused endpoint stays paused.
      ...(moved && { url, ...FRESH_START }),
      ...(eventTypes && { eventTypes }),
      ...(description !== undefined && { description }),
    });
    await auditEndpoint(tx, actor, 'endpoint.updated', input, {
      ...(moved && { url: shownUrl(url), url_before: shownUrl(before.url) }),
      ...(eventTypes && { event_types: eventTypes, event_types_before: before.eventTypes }),
      ...(description !== undefined && { description }),
    });
    if (moved) await enqueueHealth(tx, input);
    return requireFound(changed);
  });
}
