import type { Sql } from 'postgres';

/** The size of a world to rescore. */
export interface WorldSize {
  parcels: number;
  accounts: number;
  leadsPerAccount: number;
}

const COUNTIES = 10;

/**
 * Fills a migrated, empty database with parcels in ten counties, in a grid of a thousandth of a degree.
 * One in ten is in trouble of several kinds at once, nearly half are aging, the rest are ordinary; the
 * signals are those of the demo's parcels. Nothing is scored yet.
 */
export async function fillParcels(sql: Sql, { parcels }: WorldSize): Promise<void> {
  const perCounty = Math.ceil(parcels / COUNTIES);
  await sql`select setseed(0.42)`;
  await sql`
    insert into parcels (id, county, account_num, address, city, zip, house_number, street_key,
      location, owner_name, mailing_address, mailing_state, owner_occupied, owned_since,
      free_and_clear, owner_birth_year, vacant, probate_filed_on, foreclosure_notice_on,
      tax_delinquent_years, open_code_violations, announced_score, scored_on)
    select county || ':' || num, county, num, house || ' Alder Creek Ln, Millbrook, TX ' || zip,
      'Millbrook', zip, house::text, 'alder creek ln ' || (n % 500), point(-97 + c + x, 30 + y),
      'Owner ' || n, house || ' Quay St, Austin, TX 78701',
      case when r[1] < 0.25 then 'CO' else 'TX' end, r[2] > trouble * 0.5,
      current_date - 7 - (r[3] * r[3] * 48 * 365)::int, r[4] < 0.3,
      case when r[5] < 0.85 then 1935 + (r[6] * 65)::int end, r[7] < trouble * 0.3,
      case when r[8] < trouble * 0.16 then current_date - (r[9] * 900)::int end,
      case when r[10] < trouble * 0.12 then current_date - (r[11] * 420)::int end,
      case when r[12] < trouble * 0.4 then 1 + (r[13] * 3)::int else 0 end,
      case when r[14] < trouble * 0.28 then 1 + (r[15] * 3)::int else 0 end, 0, current_date - 14
    from (
      select n, n % ${COUNTIES} as c, 'county-' || n % ${COUNTIES} as county,
        lpad((n / ${COUNTIES})::text, 7, '0') as num, 100 + n % 9000 as house,
        lpad((75000 + n % 200)::text, 5, '0') as zip,
        (n / ${COUNTIES} % 1000) / 1000.0 as x,
        (n / ${COUNTIES} / 1000) / 1000.0 as y, r,
        case when r[16] < 0.105 then 1 when r[16] < 0.55 then 0.4 else 0.1 end as trouble
      from (select n, array(select random() from generate_series(1, 16) where n > 0) as r
            from generate_series(1, ${perCounty * COUNTIES}::int) n) drawn
    ) made
    order by county, num`;
}

/**
 * Adds accounts with one endpoint each, that hold leads of the better half: a fifth of them saved, a
 * tenth purchased, a quarter in each of two lists, the others in a farm; every fifth account watches a
 * county as well.
 */
export async function fillAccounts(sql: Sql, size: WorldSize): Promise<void> {
  const { accounts, leadsPerAccount: leads } = size;
  const saved = Math.round(leads * 0.2);
  const held = Math.round(leads * 0.3);
  const listed = Math.round(leads * 0.25);
  await sql`
    insert into accounts (id, email, plan)
    select 'acct_' || lpad(a::text, 32, '0'), 'owner' || a || '@example.com',
           (array['free', 'pro', 'elite'])[1 + a % 3]
    from generate_series(1, ${accounts}::int) a`;
  await sql`
    insert into endpoints (id, account_id, url, event_types, sealed_secret)
    select 'ep_' || right(id, 32), id, 'https://hooks.example.com/' || id,
           array['lead.entered_hot', 'lead.score_updated', 'rescore.summary'], sha256(id::bytea)
    from accounts`;
  await sql`
    create temporary table better as
    select row_number() over (order by random()) as n, id from parcels where score >= 30`;
  await sql`create index on better (n)`;
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from better`;
  const better = row?.count ?? 0;
  const stride = Math.max(1, Math.floor(better / accounts));
  await sql`
    create temporary table chosen as
    select a.id as account_id, b.id as parcel_id, k
    from (select id, row_number() over (order by id) as nth from accounts) a
      cross join generate_series(1, ${leads}::int) k
      join better b on b.n = 1 + (a.nth * ${stride}::int + k) % ${better}::int`;
  await sql`
    insert into held_leads (account_id, parcel_id, via)
    select account_id, parcel_id, case when k <= ${saved} then 'saved' else 'purchased' end
    from chosen where k <= ${held}`;
  await sql`
    insert into lists (id, account_id, name)
    select 'list_' || l || right(id, 31), id, 'List ' || l from accounts, generate_series(1, 2) l`;
  await sql`
    insert into list_leads (account_id, list_id, parcel_id)
    select account_id, 'list_' || l || right(account_id, 31), parcel_id
    from chosen, generate_series(1, 2) l
    where k > ${held} + (l - 1) * ${listed} and k <= ${held} + l * ${listed}`;
  // As many parcels as are missing to the number of leads, in a square of the grid.
  const side = Math.sqrt(leads * 0.2) / 1000;
  await sql`
    insert into farms (id, account_id, name, area)
    select 'farm_' || right(id, 32), id, 'Farm',
           polygon(box(point(x, y), point(x + ${side}::float8, y + ${side}::float8)))
    from (select id, -97 + nth % ${COUNTIES} + (nth * 37 % 900) / 1000.0 as x,
                 30 + (nth * 13 % 60) / 1000.0 as y
          from (select id, row_number() over (order by id) as nth from accounts) a) placed`;
  await sql`
    insert into watched_counties (account_id, county)
    select id, 'county-' || nth % ${COUNTIES}
    from (select id, row_number() over (order by id) as nth from accounts) a where nth % 5 = 0`;
}

/** Lets signals change as imports of a week do, for three parcels in a hundred. */
export async function changeSignals(sql: Sql): Promise<void> {
  await sql`select setseed(0.17)`;
  await sql`
    update parcels set
      tax_delinquent_years = case when lot < 0.4 then tax_delinquent_years + 1
                                  when lot < 0.6 then 0 else tax_delinquent_years end,
      vacant = case when lot between 0.6 and 0.75 then not vacant else vacant end,
      probate_filed_on = case when lot between 0.75 and 0.85 then current_date - 3
                              else probate_filed_on end,
      open_code_violations = case when lot > 0.85 then open_code_violations + 1
                                  else open_code_violations end
    from (select id as chosen, random() as lot from parcels where random() < 0.03) c
    where id = chosen`;
}
