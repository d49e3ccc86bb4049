import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { replays } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { isUniqueViolation } from '../db/postgres-errors.ts';
import { replayWorkflowId } from '../domain/workflow-id.ts';
import type { EndpointContext, WhichEndpoint } from '../endpoints/endpoint.ts';
import { requireEndpoint } from '../endpoints/read-endpoints.ts';
import { badRequest, conflict } from '../errors.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';
import { instant } from '../instant.ts';
import { enqueue } from '../relay/enqueue.ts';
import type { Replay } from './replay.ts';
import { selectedBy } from './replay-selection.ts';

const REPLAYABLE = ['failed', 'skipped', 'delivered'] as const;

const wish = z.strictObject({
  states: z
    .array(z.enum(REPLAYABLE, { error: `must be among ${REPLAYABLE.join(', ')}` }))
    .min(1, 'must name at least one state')
    .default(['failed', 'skipped']),
  since: instant.optional(),
  until: instant.optional(),
});

const counted = z.object({ total: z.number() });

/**
 * Asks for a replay: everything in these states (failed and skipped, unless told otherwise), whose
 * event happened from `since` on and before `until`, is sent to the endpoint again, one after
 * another in the order in which it happened, each once. A `conflict` when the endpoint is not
 * active, or another replay of it is running.
 */
export async function startReplay(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
  input: {
    states?: string[] | undefined;
    since?: string | undefined;
    until?: string | undefined;
  } = {},
): Promise<Replay> {
  const { states, since = null, until = null } = parseInput(wish, input);
  if (since !== null && until !== null && Date.parse(since) >= Date.parse(until)) {
    throw badRequest('until', 'until: must be later than since.');
  }
  const { accountId, endpointId } = which;
  const id = newId('replay');
  try {
    return await db.transaction(async (tx) => {
      const endpoint = await requireEndpoint(tx, which);
      if (endpoint.state !== 'active') {
        throw conflict('The endpoint is paused; resume it first.');
      }
      const selection = { endpointId, states, since, until };
      const [row] = await tx.execute(sql`
        select count(*)::int as total from deliveries d
        where ${selectedBy(selection, sql`clock_timestamp()`)}`);
      const { total } = counted.parse(row);
      const [replay] = await tx
        .insert(replays)
        .values({ id, accountId, actor, ...selection, total })
        .returning();
      if (!replay) throw new Error('insert returned no row');
      await recordAudit(tx, {
        ...{ actor, action: 'endpoint.replay_started', accountId, subjectId: endpointId },
        details: { replay_id: id, states, since, until, total },
      });
      const key = replayWorkflowId(id);
      await enqueue(tx, [{ key, task: 'replay', accountId, subjectId: id }]);
      return replay;
    });
  } catch (error) {
    if (isUniqueViolation(error, 'replays_one_running')) {
      throw conflict('A replay of this endpoint is running already.');
    }
    throw error;
  }
}
