import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import { insertRedelivery } from '../redelivery/insert-redelivery.ts';
import { ongoingEpisode, type Episode } from './episode.ts';

const candidate = z.object({ id: z.string() });

/**
 * Makes the delivery of an endpoint's last attempt: the newest one that failed, once more. Null when
 * the episode is over, or when there is nothing left to try with. Asked again, it answers the same.
 */
export async function beginLastAttempt(db: Db, episode: Episode): Promise<string | null> {
  return db.transaction(async (tx) => {
    const ongoing = await ongoingEpisode(tx, episode);
    if (!ongoing) return null;
    const [begun] = await tx.execute(sql`
      select id from deliveries
      where endpoint_id = ${episode.endpointId} and kind = 'last_attempt'
        and created_at >= ${episode.failingSince}
      order by created_at desc limit 1`);
    if (begun) return candidate.parse(begun).id;
    const [newest] = await tx.execute(sql`
      select id from deliveries
      where endpoint_id = ${episode.endpointId} and kind in ('automatic', 'redelivery')
        and attempts_made > 0 and state <> 'delivered'
      order by created_at desc, id desc limit 1`);
    if (!newest) return null;
    const { id } = candidate.parse(newest);
    return insertRedelivery(tx, { deliveryId: id, kind: 'last_attempt' });
  });
}
