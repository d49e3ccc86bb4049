import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.ts';
import { scoreChange, type ScoreChange } from '../domain/rescore.ts';
import type { Signals } from '../domain/score.ts';
import { scoreColumns } from '../parcels/evaluate-parcel.ts';

/** A parcel as a batch reads it: what its score is made of, and what was made known of it. */
type ReadParcel = { [Signal in keyof Signals]: Signals[Signal] } & {
  id: string;
  county: string;
  announcedScore: number;
  scoredOn: string;
};

/** A parcel whose score is another than the one that was made known. */
export interface ChangedParcel extends ScoreChange {
  id: string;
  county: string;
  previousScore: number;
}

/** What scoring a batch came to. */
export interface ScoredBatch {
  parcels: number;
  /** Where the next batch begins: the last id of this one. */
  last: string | null;
  /** In the order of their ids. */
  changed: ChangedParcel[];
}

/**
 * Scores the next parcels by id as of a day, and makes their scores known. The rows stay locked until
 * the transaction ends; in the order of their ids, as imports lock them.
 */
export async function scoreBatch(
  tx: Tx,
  { after, limit, day }: { after: string | null; limit: number; day: string },
): Promise<ScoredBatch> {
  const rows = await tx.execute<ReadParcel>(sql`
    select id, county, announced_score as "announcedScore", scored_on::text as "scoredOn", state,
           mailing_state as "mailingState", owner_occupied as "ownerOccupied",
           owned_since::text as "ownedSince", free_and_clear as "freeAndClear",
           owner_birth_year as "ownerBirthYear", vacant,
           probate_filed_on::text as "probateFiledOn",
           foreclosure_notice_on::text as "foreclosureNoticeOn",
           tax_delinquent_years as "taxDelinquentYears",
           open_code_violations as "openCodeViolations"
    from parcels
    where id > ${after ?? ''}
    order by id
    limit ${limit}
    for no key update`);
  const changed: ChangedParcel[] = [];
  const ids: string[] = [];
  const scores: number[] = [];
  const leadTypes: string[] = [];
  const days: string[] = [];
  for (const parcel of rows) {
    const { id, county, announcedScore: previousScore } = parcel;
    // One that was imported on a later day, while the run was under way, stays as of that day.
    const scored = scoreColumns(parcel, parcel.scoredOn > day ? parcel.scoredOn : day);
    ids.push(id);
    scores.push(scored.score);
    leadTypes.push(scored.leadTypes.join(','));
    days.push(scored.scoredOn);
    const change = scoreChange(previousScore, scored.score);
    if (change.changed) changed.push({ id, county, previousScore, ...change });
  }
  if (ids.length > 0) {
    await tx.execute(sql`
      update parcels p
      set score = s.score, announced_score = s.score, scored_on = s.day::date,
          lead_types = string_to_array(s.lead_types, ',')
      from unnest(${sql.param(ids)}::text[], ${sql.param(scores)}::int[],
                  ${sql.param(leadTypes)}::text[], ${sql.param(days)}::text[])
        as s (id, score, lead_types, day)
      where p.id = s.id`);
  }
  return { parcels: ids.length, last: ids.at(-1) ?? null, changed };
}
