import { eq } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { endpointHealthOf, type EndpointHealth } from '../domain/endpoint-health.ts';
import type { PausePolicy } from '../domain/health.ts';

/** How an endpoint is now, with the deadlines that follow from it. */
export async function readHealth(
  db: Db,
  endpointId: string,
  policy: PausePolicy,
): Promise<EndpointHealth> {
  const [endpoint] = await db
    .select({
      version: endpoints.healthVersion,
      state: endpoints.state,
      failingSince: endpoints.failingSince,
    })
    .from(endpoints)
    .where(eq(endpoints.id, endpointId));
  if (!endpoint) throw new Error(`There is no endpoint ${endpointId}.`);
  return endpointHealthOf(endpoint, policy);
}
