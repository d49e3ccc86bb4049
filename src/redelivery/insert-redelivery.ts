import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '../db/client.ts';
import { newId } from '../ids.ts';

const inserted = z.object({ id: z.string() });

/**
 * Writes a new delivery of the event of another one, to the same endpoint, with the same bytes. It
 * takes over from those of that event which are finished, and from the other one itself, which a
 * last attempt may find in the middle of its retries. Two at once cannot get the same round: the
 * second one waits for the first and then fails on the unique index.
 */
export async function insertRedelivery(
  tx: Tx,
  input: { deliveryId: string; kind: 'redelivery' | 'last_attempt'; replayId?: string },
): Promise<string> {
  const id = newId('delivery');
  const [row] = await tx.execute(sql`
    with original as (
      select * from deliveries where id = ${input.deliveryId} for update
    ), replaced as (
      update deliveries d set replaced_by = ${id}
      from original o
      where d.event_id = o.event_id and d.endpoint_id = o.endpoint_id
        and (d.finished_at is not null or d.id = o.id) and d.replaced_by is null
    )
    insert into deliveries (id, account_id, kind, event_id, event_type, event_at, endpoint_id,
                            round, redelivery_of, replay_id, state, next_attempt_at, expected_at)
    select ${id}, account_id, ${input.kind}, event_id, event_type, event_at, endpoint_id,
           (select max(round) + 1 from deliveries d
            where d.event_id = o.event_id and d.endpoint_id = o.endpoint_id),
           o.id, ${input.replayId ?? null}, 'pending', now(), now()
    from original o
    where event_id is not null
    returning id`);
  return inserted.parse(row).id;
}
