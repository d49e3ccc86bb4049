import { sql, type SQL } from 'drizzle-orm';
import type { Replay } from './replay.ts';

/**
 * The deliveries that a replay takes: the last word on their event at this endpoint is in one of
 * the wanted states. Of the skipped ones those count that were skipped by a pause; what somebody
 * cancelled, or is not subscribed to any more, stays unsent. What ended after the replay was asked for is none of
 * its business, its own redeliveries included.
 */
export function selectedBy(
  replay: Pick<Replay, 'endpointId' | 'states' | 'since' | 'until'>,
  before: SQL | string,
): SQL {
  return sql`d.endpoint_id = ${replay.endpointId}
    and d.replaced_by is null and d.kind <> 'test' and d.finished_at <= ${before}
    and d.state = any (${sql.param([...replay.states])}::text[])
    and d.state in ${sql.raw(sweep(replay.states))}
    and coalesce(d.skip_reason, 'endpoint_paused') = 'endpoint_paused'
    and d.event_type = any ((select event_types from endpoints where id = ${replay.endpointId})::text[])
    ${replay.since === null ? sql`` : sql`and d.event_at >= ${replay.since}`}
    ${replay.until === null ? sql`` : sql`and d.event_at < ${replay.until}`}`;
}

/** Said once more in the words of the index on what waits, where that is all that is wanted. */
function sweep(states: readonly string[]): string {
  return states.includes('delivered')
    ? `('failed', 'skipped', 'delivered')`
    : `('failed', 'skipped')`;
}
