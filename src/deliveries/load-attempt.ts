import { and, eq } from 'drizzle-orm';
import { attempts, deliveries, endpoints, events } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/**
 * Everything an attempt needs, read fresh from Postgres at each attempt, so that a changed URL, a
 * pause or a deletion takes effect at once; and what is already known of the attempt with this
 * number, so that one whose result is recorded is not sent again.
 */
export async function loadAttempt(db: Db, deliveryId: string, number: number) {
  const [row] = await db
    .select({
      delivery: {
        id: deliveries.id,
        accountId: deliveries.accountId,
        kind: deliveries.kind,
        eventId: deliveries.eventId,
        eventType: deliveries.eventType,
        eventAt: deliveries.eventAt,
        state: deliveries.state,
        skipReason: deliveries.skipReason,
        attemptsMade: deliveries.attemptsMade,
      },
      /** Null for a test. */
      body: events.body,
      endpoint: {
        id: endpoints.id,
        url: endpoints.url,
        state: endpoints.state,
        eventTypes: endpoints.eventTypes,
        sealedSecret: endpoints.sealedSecret,
        healthEra: endpoints.healthEra,
      },
      // Drizzle takes a joined row for missing when the first column named here is null.
      recorded: { number: attempts.number, error: attempts.error, statusCode: attempts.statusCode },
    })
    .from(deliveries)
    .leftJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .leftJoin(attempts, and(eq(attempts.deliveryId, deliveries.id), eq(attempts.number, number)))
    .where(eq(deliveries.id, deliveryId));
  return row;
}

export type LoadedAttempt = NonNullable<Awaited<ReturnType<typeof loadAttempt>>>;
