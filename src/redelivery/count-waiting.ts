import { and, count, eq, isNull, ne, or, sql } from 'drizzle-orm';
import { deliveries } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/**
 * How many deliveries of an endpoint wait for somebody to send them again: the last word on their
 * event is that they failed, or were skipped while the endpoint was paused.
 */
export async function countWaiting(db: Db, endpointId: string): Promise<number> {
  const [row] = await db
    .select({ waiting: count() })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.endpointId, endpointId),
        isNull(deliveries.replacedBy),
        isWaiting(),
        isSubscribed(endpointId),
      ),
    );
  return row?.waiting ?? 0;
}

/** What the endpoint does not want any more does not wait. */
function isSubscribed(endpointId: string) {
  return sql`${deliveries.eventType} = any ((select event_types from endpoints where id = ${endpointId})::text[])`;
}

/** Written as the index `deliveries_waiting` has it. */
function isWaiting() {
  return and(
    sql`${deliveries.state} in ('failed', 'skipped')`,
    ne(deliveries.kind, sql.raw(`'test'`)),
    or(eq(deliveries.state, 'failed'), eq(deliveries.skipReason, 'endpoint_paused')),
  );
}
