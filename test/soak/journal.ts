import { sql } from 'drizzle-orm';
import type { Db } from '../../src/db/client.ts';

/*
 * What took effect, kept by triggers of the test and by nothing of the service: one row for each
 * change of state, with the transaction that made it, so that an action and its events can be held
 * against each other whatever an action answered when its connection was cut.
 */

/** Which column's changes are kept of which table, and under which name. */
const WATCHED = [
  ['deals', 'deal', 'status'],
  ['orders', 'order', 'status'],
  ['campaigns', 'campaign', 'state'],
  ['accounts', 'plan', 'plan'],
  ['parcels', 'parcel', 'announced_score'],
  ['held_leads', 'held', 'via'],
  ['rescore_runs', 'batch', 'parcels'],
  ['events', 'event', 'type'],
] as const;

/** Puts the journal into a test's database: tables `journal` and the view `told`, the events. */
export async function keepJournal(db: Db): Promise<void> {
  await db.execute(sql`
    create table journal (
      seq bigserial primary key, xid xid8 not null default pg_current_xact_id(),
      at timestamptz not null default clock_timestamp(), kind text not null, id text not null,
      account_id text, before text, after text)`);
  await db.execute(sql`create index on journal (kind, id)`);
  await db.execute(sql`create index on journal (xid)`);
  await db.execute(sql`
    create function note() returns trigger language plpgsql as $$
    declare
      now_is jsonb := to_jsonb(new) - 'body';
      was text;
    begin
      if tg_op = 'UPDATE' then was := to_jsonb(old) ->> tg_argv[1]; end if;
      if tg_op = 'INSERT' or was is distinct from now_is ->> tg_argv[1] then
        insert into journal (kind, id, account_id, before, after)
        values (tg_argv[0], coalesce(now_is ->> 'id', now_is ->> 'parcel_id'),
                coalesce(now_is ->> 'account_id', now_is ->> 'id'), was, now_is ->> tg_argv[1]);
      end if;
      return null;
    end $$`);
  for (const [table, kind, column] of WATCHED) {
    const trigger = `create trigger note after insert or update on ${table}
      for each row execute function note('${kind}', '${column}')`;
    await db.execute(sql.raw(trigger));
  }
  await db.execute(sql`
    create view told as
    select e.id, j.xid, j.seq, e.account_id, e.type, e.subject, e.created_at,
           convert_from(e.body, 'UTF8')::jsonb as body,
           convert_from(e.body, 'UTF8')::jsonb -> 'data' as data
    from events e left join journal j on j.kind = 'event' and j.id = e.id`);
}
