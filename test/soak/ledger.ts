import { sql, type SQL } from 'drizzle-orm';
import type { Db } from '../../src/db/client.ts';

/** Each finds rows that must not be; what they are called is what is wrong. */
const QUERIES: Readonly<Record<string, SQL>> = {
  // Same transaction, same deal, same stages; both ways.
  'a move of a deal and its events are not the same': sql`
    with moved as (
      select j.xid, j.id, j.account_id, j.before, j.after, type
      from journal j join deals d on d.id = j.id
        cross join lateral (
          select 'deal.status_changed' as type
          union all
          select 'deal.closed' where j.after = 'CLOSED' and num_nonnulls(
            d.actual_fee_cents, d.actual_sale_price_cents, d.actual_profit_cents) > 0) t
      where j.kind = 'deal'
    ), told_of as (
      select xid, data ->> 'deal_id' as id, account_id, data ->> 'from_status' as before,
             data ->> 'to_status' as after, type
      from told where type like 'deal.%'
    )
    ${bothWays('moved', 'told_of')}`,
  'a trace that was fulfilled and its event are not the same': sql`
    with fulfilled as (
      select j.xid, j.id, j.account_id from journal j join orders o on o.id = j.id
      where j.kind = 'order' and j.after = 'FULFILLED' and o.service = 'SKIP_TRACE'
    ), told_of as (
      select xid, data ->> 'order_id' as id, account_id from told
      where type = 'lead.skiptrace.completed'
    )
    ${bothWays('fulfilled', 'told_of')}`,
  'an order is fulfilled without contacts, or has contacts without that': sql`
    select id, status from orders
    where service = 'SKIP_TRACE' and (status = 'FULFILLED') <> (contacts is not null)`,
  'a step of a campaign and its event are not the same': sql`
    with stepped as (
      select xid, id, account_id, after from journal where kind = 'campaign' and before is not null
    ), told_of as (
      select xid, data ->> 'campaign_id' as id, account_id, data ->> 'state' as after from told
      where type = 'postcard.status_changed'
    )
    ${bothWays('stepped', 'told_of')}`,
  'a campaign did not go forward one step at a time': sql`
    select id, before, after from journal
    where kind = 'campaign' and before is not null and (before, after) not in
      (('draft', 'production'), ('production', 'mailed'), ('mailed', 'delivered_est'))`,
  'cards are not where their campaign is': sql`
    select o.id, o.status, o.postcard_state, c.state from orders o
      join campaigns c on c.id = o.campaign_id
    where (o.status <> 'CANCELLED' and o.postcard_state <> c.state)
       or (c.cancelled_at is not null and o.status <> 'CANCELLED')`,
  'events of a deal are not a chain by created_at': sql`
    select * from (
      select id, data ->> 'deal_id' as deal, data ->> 'from_status' as before,
             lag(data ->> 'to_status') over (
               partition by data ->> 'deal_id' order by created_at) as last
      from told where type = 'deal.status_changed') e
    where before is distinct from last`,
  'the newest event does not show the state that is': sql`
    select n.id, n.state, coalesce(d.status, c.state) as is from (
      select distinct on (subject) id, coalesce(data ->> 'deal_id', data ->> 'campaign_id') as about,
             coalesce(data ->> 'to_status', data ->> 'state') as state
      from told where type like 'deal.%' or type like 'postcard.%'
      order by subject, created_at desc) n
      left join deals d on d.id = n.about left join campaigns c on c.id = n.about
    where n.state is distinct from coalesce(d.status, c.state)`,
  'created_at is not the order in which a subject changed': sql`
    select * from (
      select id, xid, seq, lag(xid) over w as xid_before, lag(seq) over w as seq_before
      from told window w as (partition by account_id, subject order by created_at)) e
    where seq_before > seq and xid_before <> xid`,
  'an event is not in the journal, or its body says another id, account or time': sql`
    select id from told
    where xid is null or body ->> 'id' <> id or body ->> 'user_id' <> account_id
       or body ->> 'type' <> type or (body ->> 'created_at')::timestamptz <> created_at`,
  'a delivery is not final': sql`
    select id, state from deliveries where state not in ('delivered', 'failed', 'skipped')`,
};

/** What is in one and not in the other, counting how often. */
function bothWays(one: string, other: string): SQL {
  const [a, b] = [sql.raw(one), sql.raw(other)];
  return sql`
    (select ${one}::text as only, * from (select * from ${a} except all select * from ${b}) a)
    union all
    (select ${other}::text, * from (select * from ${b} except all select * from ${a}) b)`;
}

/** Joins what took effect with what was told of it, and answers every contradiction. */
export async function ledgerContradictions(
  db: Db,
  queries: Readonly<Record<string, SQL>> = QUERIES,
): Promise<string[]> {
  const found: string[] = [];
  for (const [what, query] of Object.entries(queries)) {
    const rows = await db.execute(query);
    const shown = rows.slice(0, 3).map((row) => JSON.stringify(row));
    if (rows.length > 0) found.push(`${what} (${rows.length}): ${shown.join(' ')}`);
  }
  return found;
}

/** An endpoint that is active and subscribed to everything throughout has a delivery of each event. */
export function missedBy(endpointIds: readonly string[]): SQL {
  return sql`
    select e.id, p.id as endpoint from events e
      join endpoints p on p.account_id = e.account_id
        and p.id = any (${sql.param([...endpointIds])}::text[])
      left join deliveries d on d.event_id = e.id and d.endpoint_id = p.id and d.round = 0
    where d.id is null`;
}
