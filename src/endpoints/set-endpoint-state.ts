import { sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { EndpointState } from '../domain/delivery.ts';
import { endpointColumns, liveEndpoint, requireChanged, type Endpoint } from './endpoint.ts';

/**
 * Pauses, resumes or deletes an endpoint. It takes effect at the next attempt of every delivery
 * that is under way. A deleted endpoint is gone for its account; its deliveries stay in the log.
 */
export async function setEndpointState(
  db: Db,
  input: { accountId: string; endpointId: string; state: EndpointState },
): Promise<Endpoint> {
  const rows = await db
    .update(endpoints)
    .set({ state: input.state, updatedAt: sql`now()` })
    .where(liveEndpoint(input.accountId, input.endpointId))
    .returning(endpointColumns);
  return requireChanged(rows);
}
