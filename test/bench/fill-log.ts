import type { Sql } from 'postgres';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { encodeBody } from '../../src/events/envelope.ts';

/** The size of a delivery log: every event goes to every endpoint of its account. */
export interface LogSize {
  accounts: number;
  endpointsPerAccount: number;
  eventsPerAccount: number;
  /** The log ends now and goes back this far; the newest and the oldest are equally dense. */
  days: number;
}

const CHUNK_ROWS = 100_000;
const TYPE = 'deal.status_changed';

/** What grows with every event. */
const GROWING = ['attempts', 'deliveries', 'events'];

/**
 * Fills a migrated, empty database with a log, oldest first, as it would have grown: of the
 * deliveries 97 % are delivered, the rest failed or were skipped while their endpoint was paused;
 * each that was sent has one attempt. Indexes are in place meanwhile, and end up as in life; only
 * the checks of foreign keys, which take most of the time, are made at the end.
 */
export async function fillLog(
  sql: Sql,
  size: LogSize,
  progress: (message: string) => void,
): Promise<void> {
  const { accounts, endpointsPerAccount, eventsPerAccount, days } = size;
  const fromMs = Date.now() - days * 86_400_000;
  const stepMs = Math.floor((days * 86_400_000) / eventsPerAccount);
  const body = encodeBody({
    ...{ id: `evt_${'0'.repeat(32)}`, type: TYPE, created_at: new Date(fromMs).toISOString() },
    ...{ user_id: `acct_${'0'.repeat(32)}`, data: EVENT_CATALOGUE[TYPE].sample },
  });
  // A UUIDv7 of a millisecond, with what comes after it taken from a seed.
  await sql`
    create function pg_temp.made_at(prefix text, ms bigint, seed text) returns text
    language sql immutable
    return prefix || '_' || lpad(to_hex(ms), 12, '0') || '7' || substr(md5(seed), 1, 19)`;
  await sql`
    insert into accounts (id, email, plan)
    select pg_temp.made_at('acct', ${fromMs}, 'account ' || a), 'owner' || a || '@example.com', 'elite'
    from generate_series(1, ${accounts}::int) a`;
  await sql`
    insert into endpoints (id, account_id, url, event_types, sealed_secret)
    select pg_temp.made_at('ep', ${fromMs}, a.id || e), a.id, 'https://hooks.example.com/' || e,
           array[${TYPE}]::text[], sha256(a.id::bytea)
    from accounts a, generate_series(1, ${endpointsPerAccount}::int) e`;
  await sql`analyze accounts, endpoints`;

  const restore = await withoutForeignKeys(sql);
  const perEvent = accounts * endpointsPerAccount;
  const chunk = Math.max(1, Math.floor(CHUNK_ROWS / perEvent));
  const startedAt = Date.now();
  for (let first = 0; first < eventsPerAccount; first += chunk) {
    const last = Math.min(first + chunk, eventsPerAccount) - 1;
    await sql`
      with happened as (
        insert into events (id, account_id, type, subject, created_at, body)
        select pg_temp.made_at('evt', ms, a.id || i), a.id, ${TYPE}, 'deal:' || i,
               to_timestamp(ms / 1000.0), ${body}
        from generate_series(${first}::int, ${last}::int) i
          cross join lateral (select ${fromMs}::bigint + i * ${stepMs}::bigint as ms) t
          cross join accounts a
        returning id, account_id, created_at
      ), due as (
        select e.*, ep.id as endpoint_id, ep.url,
               pg_temp.made_at('dlv', (extract(epoch from e.created_at) * 1000)::bigint,
                               e.id || ep.id) as delivery_id,
               abs(hashtext(e.id || ep.id)) % 1000 as lot
        from happened e join endpoints ep on ep.account_id = e.account_id
      ), delivered as (
        insert into deliveries (id, account_id, event_id, event_type, event_at, endpoint_id, state,
                                skip_reason, attempts_made, created_at, finished_at)
        select delivery_id, account_id, id, ${TYPE}, created_at, endpoint_id,
               case when lot < 970 then 'delivered' when lot < 985 then 'failed' else 'skipped' end,
               case when lot >= 985 then 'endpoint_paused' end,
               case when lot < 985 then 1 else 0 end,
               created_at, created_at + interval '150 milliseconds'
        from due order by created_at
      )
      insert into attempts (delivery_id, number, account_id, url, started_at, duration_ms,
                            status_code, error, response_excerpt)
      select delivery_id, 1, account_id, url, created_at + interval '20 milliseconds', 120,
             case when lot < 970 then 200 else 503 end,
             case when lot >= 970 then 'http_status' end,
             case when lot < 970 then '{"ok":true}' else 'Service Unavailable' end
      from due where lot < 985 order by created_at`;
    const rows = (last + 1) * perEvent;
    if (rows % (10 * CHUNK_ROWS) < chunk * perEvent) {
      const perSecond = Math.round((rows * 1000) / (Date.now() - startedAt));
      progress(`${rows} deliveries, ${perSecond} a second`);
    }
  }
  progress('checking foreign keys');
  await restore();
  progress('vacuuming, as autovacuum would in time');
  for (const name of GROWING) await sql.unsafe(`vacuum (analyze) ${name}`);
}

/** Drops the foreign keys of the log's tables; what it answers puts them back, checked. */
async function withoutForeignKeys(sql: Sql): Promise<() => Promise<void>> {
  const keys = await sql<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conrelid::regclass::text = any (${GROWING})`;
  for (const { table, name } of keys) {
    await sql.unsafe(`alter table ${table} drop constraint ${name}`);
  }
  return async () => {
    for (const { table, name, definition } of keys) {
      await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
    }
  };
}
