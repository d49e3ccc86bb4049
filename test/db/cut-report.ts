import type postgres from 'postgres';
import { AppError } from '../../src/errors.ts';
import { PlannedError, type Entry } from './cut-scenario.ts';

/**
 * Joins what the callers of a scenario were told with what the database holds, both ways. Call it
 * when no server process works on the scenario any more.
 */
export async function inspect(
  direct: postgres.Sql,
  entries: readonly Entry[],
): Promise<{ faults: string[]; counts: Record<string, number> }> {
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);

  const kinds = new Map<number, string[]>();
  const rows = await direct<{ id: number | null; action_id: number | null; kind: string | null }[]>`
    select a.id, e.action_id, e.kind
    from guard_action a full join guard_event e on e.action_id = a.id and e.tenant = a.tenant
      and e.txid = a.txid and e.pid = a.pid`;
  for (const { id, action_id, kind } of rows) {
    if (id === null) faults.push(`event ${kind} of ${action_id} without its action`);
    else if (kind === null) faults.push(`action ${id} without an event`);
    else kinds.set(id, [...(kinds.get(id) ?? []), kind].sort());
  }
  const shared = await direct<{ txid: string }[]>`
    select txid from (
      select txid, id, tenant from guard_action
      union all select txid, action_id, tenant from guard_event) written
    group by txid having count(distinct id) > 1 or count(distinct tenant) > 1`;
  for (const { txid } of shared) faults.push(`database transaction ${txid} is shared`);

  for (const { plan, outcome, error } of entries) {
    const there = kinds.get(plan.id);
    count(outcome);
    if (plan.cut !== 'none') count('breaks');
    if (outcome === 'unknown') count(there ? 'unknown, is there' : 'unknown, is not there');
    if (outcome === 'hung') faults.push(`${plan.id} hung`);
    if (outcome === 'committed' && !there) faults.push(`${plan.id} resolved but is not there`);
    if (outcome === 'committed' && plan.ending === 'throw') faults.push(`${plan.id} did not throw`);
    if (outcome === 'rejected' && there) faults.push(`${plan.id} rejected but is there`);
    if (outcome === 'rejected') {
      count(`rejected by ${error?.constructor.name}`);
      // Anything else would be an answer that was meant for somebody else.
      if (!(error instanceof PlannedError || error instanceof AppError)) {
        faults.push(`${plan.id} rejected with ${error}`);
      }
    }
    const whole = plan.savepoint === 'kept' ? 'kept,main' : 'main';
    if (there && there.join() !== whole) faults.push(`${plan.id} holds ${there.join()}`);
  }
  return { faults, counts };
}
