import { and, eq } from 'drizzle-orm';
import { accounts, endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/** A time during which every delivery to an endpoint has failed, named by its beginning. */
export interface Episode {
  endpointId: string;
  /** ISO 8601 with microseconds, as Postgres keeps it. */
  failingSince: string;
}

/** The endpoint of an episode, and its owner, as long as the episode goes on. */
export async function ongoingEpisode(db: Db, { endpointId, failingSince }: Episode) {
  const [row] = await db
    .select({
      accountId: endpoints.accountId,
      endpointId: endpoints.id,
      url: endpoints.url,
      description: endpoints.description,
      failingSince: endpoints.failingSince,
      recipient: accounts.email,
    })
    .from(endpoints)
    .innerJoin(accounts, eq(accounts.id, endpoints.accountId))
    .where(isOngoing({ endpointId, failingSince }));
  return row && { ...row, failingSince };
}

/** The row of the endpoint while its episode goes on. */
export function isOngoing({ endpointId, failingSince }: Episode) {
  return and(
    eq(endpoints.id, endpointId),
    eq(endpoints.state, 'active'),
    eq(endpoints.failingSince, failingSince),
  );
}
