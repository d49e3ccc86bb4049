import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '../db/client.ts';
import type { SkipReason } from '../domain/delivery.ts';
import { enqueue } from '../relay/enqueue.ts';

const ended = z.array(z.object({ id: z.string(), waits: z.boolean() }));

/**
 * Ends what is under way to an endpoint as skipped; tests, which are over in seconds, go on. The
 * workflows that wait for a retry are woken, so that they do not show one that will not be made. An
 * attempt in flight is still recorded when it comes back, and a 2xx makes its delivery delivered.
 */
export async function endUnfinished(
  tx: Tx,
  { accountId, endpointId }: { accountId: string; endpointId: string },
  reason: SkipReason,
): Promise<void> {
  const rows = await tx.execute(sql`
    with unfinished as (
      select id from deliveries
      where endpoint_id = ${endpointId} and finished_at is null and kind <> 'test'
      order by id
      for update
    )
    update deliveries d
    set state = 'skipped', skip_reason = ${reason}, next_attempt_at = null, expected_at = null,
        finished_at = now()
    from unfinished
    where d.id = unfinished.id
    returning d.id, d.attempts_made > 0 as waits`);
  const waiting = ended.parse(rows).filter(({ waits }) => waits);
  await enqueue(
    tx,
    waiting.map(({ id }) => ({ key: `wake:${id}`, task: 'wake', accountId, subjectId: id })),
  );
}
