import { sql, type SQL } from 'drizzle-orm';

/*
 * What rescores came to: scores that were made known (the journal) against counts, events and
 * summaries. Lists, farms and counties stay as they are during a run, so what became hot is known
 * exactly; leads are purchased all the while, so what is held is known but for a few seconds.
 */

/** For so long around a batch it is open whether it saw a lead as held. */
const DOUBT = sql`interval '5 seconds'`;

const CHANGES = sql`
  changes as (
    select distinct b.id as run_id, p.xid, p.at, p.id as parcel_id, p.before::int as before,
           p.after::int as after
    from journal p join journal b on b.kind = 'batch' and b.xid = p.xid
    where p.kind = 'parcel' and p.before is not null
  ), watches as (
    select l.account_id, 'list' as kind, l.id, ll.parcel_id
    from lists l join list_leads ll on ll.list_id = l.id where l.status = 'active'
    union all
    select f.account_id, 'farm', f.id, p.id
    from farms f join parcels p on p.location <@ f.area where f.alerts_enabled
    union all
    select w.account_id, 'county', w.county, p.id
    from watched_counties w join parcels p on p.county = w.county
  ), hot as (
    select c.*, w.account_id, w.kind, w.id
    from changes c join watches w using (parcel_id) where c.before < 80 and c.after >= 80
  ), held_changes as (
    select c.run_id, c.parcel_id, h.account_id, min(h.at) < min(c.at) - ${DOUBT} as certain
    from changes c join journal h on h.kind = 'held' and h.id = c.parcel_id
      and h.at < c.at + ${DOUBT}
    group by c.run_id, c.parcel_id, h.account_id
  ), lead_events as (
    select id, xid, account_id, type, data ->> 'rescore_run_id' as run_id,
           data ->> 'parcel_id' as parcel_id, (data ->> 'previous_score')::int as before,
           (data ->> 'score')::int as after
    from told where type in ('lead.entered_hot', 'lead.score_updated')
  )`;

const COUNTED = sql`
  select run_id, account_id, entered_hot_total as hot, entered_hot_sent as hot_sent,
         score_updated_total as updated, score_updated_sent as updated_sent
  from rescore_counts`;

/** Each finds rows that must not be. */
export const RESCORE_QUERIES: Readonly<Record<string, SQL>> = {
  'a rescore told of a lead what did not happen to it': sql`
    with ${CHANGES}
    select e.* from lead_events e left join changes c using (run_id, xid, parcel_id, before, after)
    where c.xid is null`,
  'a rescore told the same twice': sql`
    with ${CHANGES}
    select run_id, account_id, parcel_id, type from lead_events
    group by 1, 2, 3, 4 having count(*) > 1`,
  'a lead entered hot for somebody who does not watch it, or from elsewhere': sql`
    with ${CHANGES}
    select e.id from lead_events e
    where type = 'lead.entered_hot' and not exists (
      select from hot h
      where (h.xid, h.parcel_id, h.account_id) = (e.xid, e.parcel_id, e.account_id))`,
  'a score was told to somebody who does not hold the lead': sql`
    with ${CHANGES}
    select e.id from lead_events e
    where type = 'lead.score_updated' and not exists (
      select from held_changes h
      where (h.run_id, h.parcel_id, h.account_id) = (e.run_id, e.parcel_id, e.account_id))`,
  'leads that became hot are not those that were counted': sql`
    with ${CHANGES}, counted as (${COUNTED}), due as (
      select run_id, account_id, count(distinct parcel_id) as hot from hot group by 1, 2
    )
    select run_id, account_id, d.hot as due, c.hot as counted
    from due d full join counted c using (run_id, account_id)
    where coalesce(d.hot, 0) <> coalesce(c.hot, 0)`,
  'sources of leads that became hot are not those that were counted': sql`
    with ${CHANGES}, due as (
      select run_id, account_id, kind, id as source_id, count(*) as hot from hot group by 1, 2, 3, 4
    )
    select * from due full join rescore_source_counts s using (run_id, account_id, kind, source_id)
    where due.hot is distinct from s.entered_hot`,
  'scores of held leads that changed are not those that were counted': sql`
    with ${CHANGES}, counted as (${COUNTED}), due as (
      select run_id, account_id, count(*) as most, count(*) filter (where certain) as least
      from held_changes group by 1, 2
    )
    select run_id, account_id, least, most, updated
    from due full join counted c using (run_id, account_id)
    where coalesce(updated, 0) not between coalesce(least, 0) and coalesce(most, 0)`,
  'events of a rescore are not those that were counted as sent': sql`
    with ${CHANGES}, counted as (${COUNTED}), made as (
      select run_id, account_id, count(*) filter (where type = 'lead.entered_hot') as hot,
             count(*) filter (where type = 'lead.score_updated') as updated
      from lead_events group by 1, 2
    )
    select * from made m full join counted c using (run_id, account_id)
    where coalesce(m.hot, 0) <> coalesce(hot_sent, 0)
       or coalesce(m.updated, 0) <> coalesce(updated_sent, 0)`,
  'a summary is missing, is one too many, or says other numbers': sql`
    with made as (
      select id, account_id, data ->> 'rescore_run_id' as run_id, data from told
      where type = 'rescore.summary'
    ), due as (
      select run_id, account_id,
             case when held_by_backlog > 0 then 'backlog' else 'cap_exceeded' end as reason,
             array[entered_hot_total, entered_hot_sent, score_updated_total,
                   score_updated_sent] as numbers,
             (select coalesce(sum(entered_hot), 0) from rescore_source_counts s
              where (s.run_id, s.account_id) = (c.run_id, c.account_id)) as by_source
      from rescore_counts c where held_by_cap + held_by_backlog > 0
    )
    select * from made m full join due d using (run_id, account_id)
    where m.id is null or d.run_id is null or data ->> 'reason' <> reason
       or numbers <> array[
            (data ->> 'entered_hot_total')::int, (data ->> 'entered_hot_sent')::int,
            (data ->> 'score_updated_total')::int, (data ->> 'score_updated_sent')::int]
       or by_source <> (select coalesce(sum((s ->> 'entered_hot')::int), 0)
                        from jsonb_array_elements(data -> 'per_source') s)`,
  'a rescore counts other events or summaries than there are': sql`
    with made as (
      select data ->> 'rescore_run_id' as run_id, count(*) filter (where type <> 'rescore.summary')
        as events, count(*) filter (where type = 'rescore.summary') as summaries
      from told where data ? 'rescore_run_id' group by 1
    )
    select r.id, r.events, m.events, r.summaries, m.summaries
    from rescore_runs r left join made m on m.run_id = r.id
    where r.events <> coalesce(m.events, 0) or r.summaries <> coalesce(m.summaries, 0)`,
  'a parcel was made known in a transaction that was no batch': sql`
    select p.id from journal p where p.kind = 'parcel' and p.before is not null and not exists (
      select from journal b where b.kind = 'batch' and b.xid = p.xid)`,
};
