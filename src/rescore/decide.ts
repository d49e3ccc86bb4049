import type { HeldVia } from '../domain/held-via.ts';
import type { ChangedParcel } from './score-batch.ts';
import type { Watch, Watchers } from './watchers.ts';

/** An event about a lead that is to be recorded. */
export type PlannedEvent = { accountId: string; parcelId: string; previousScore: number } & (
  | { type: 'lead.entered_hot'; sources: Watch[] }
  | { type: 'lead.score_updated'; heldVia: HeldVia[] }
);

/** What a batch adds to the counts of an account. */
export interface Tally {
  enteredHotTotal: number;
  enteredHotSent: number;
  scoreUpdatedTotal: number;
  scoreUpdatedSent: number;
  heldByCap: number;
  heldByBacklog: number;
  /** How many leads became hot, by source. */
  sources: Map<string, Watch & { enteredHot: number }>;
}

/** Where an account stands before a batch. */
export interface Standing {
  /** What this run has sent it already. */
  enteredHotSent: number;
  scoreUpdatedSent: number;
  /** How many endpoints an event of the type goes to now. */
  enteredHotEndpoints: number;
  scoreUpdatedEndpoints: number;
}

export interface Decision {
  events: PlannedEvent[];
  tallies: Map<string, Tally>;
}

/**
 * Decides what of a batch's changes becomes an event and what is only counted (spec §6.1): one event
 * of a type for an account and a lead, as long as the account's cap for the type is not reached and
 * no more than `backlog` deliveries are unfinished, those that this decision adds included. What
 * comes first by parcel and account goes first. Every change is in exactly one of a tally's `…Sent`,
 * `heldByCap` and `heldByBacklog`.
 */
export function decide(
  changed: readonly ChangedParcel[],
  { byParcel, byCounty }: Watchers,
  standings: ReadonlyMap<string, Standing>,
  limits: { cap: number; backlog: number; unfinished: number },
): Decision {
  const events: PlannedEvent[] = [];
  const tallies = new Map<string, Tally>();
  let { unfinished } = limits;
  for (const { id: parcelId, county, previousScore, enteredHot } of changed) {
    const interests = byParcel.get(parcelId);
    const countyWatchers = enteredHot ? (byCounty.get(county) ?? []) : [];
    const accounts = new Set([...(interests?.keys() ?? []), ...countyWatchers]);
    const watchesCounty = new Set(countyWatchers);
    for (const accountId of [...accounts].sort()) {
      const { heldVia = [], sources: places = [] } = interests?.get(accountId) ?? {};
      const inCounty: Watch[] = watchesCounty.has(accountId)
        ? [{ kind: 'county', id: county, name: county }]
        : [];
      const sources = [...places, ...inCounty];
      const lead = { accountId, parcelId, previousScore };
      if (sources.length > 0) {
        const tally = tallyOf(accountId);
        for (const source of sources) countSource(tally, source);
        if (maySend(accountId, 'enteredHot')) {
          events.push({ ...lead, type: 'lead.entered_hot', sources });
        }
      }
      if (heldVia.length > 0 && maySend(accountId, 'scoreUpdated')) {
        events.push({ ...lead, type: 'lead.score_updated', heldVia });
      }
    }
  }
  return { events, tallies };

  /** Counts a change, as sent or as held back. */
  function maySend(accountId: string, what: 'enteredHot' | 'scoreUpdated'): boolean {
    const tally = tallyOf(accountId);
    const standing = standings.get(accountId);
    if (!standing) throw new Error(`nothing is known of account ${accountId}`);
    tally[`${what}Total`] += 1;
    if (standing[`${what}Sent`] + tally[`${what}Sent`] >= limits.cap) {
      tally.heldByCap += 1;
      return false;
    }
    if (unfinished > limits.backlog) {
      tally.heldByBacklog += 1;
      return false;
    }
    tally[`${what}Sent`] += 1;
    unfinished += standing[`${what}Endpoints`];
    return true;
  }

  function tallyOf(accountId: string): Tally {
    const known = tallies.get(accountId);
    if (known) return known;
    const tally: Tally = {
      ...{ enteredHotTotal: 0, enteredHotSent: 0, scoreUpdatedTotal: 0, scoreUpdatedSent: 0 },
      ...{ heldByCap: 0, heldByBacklog: 0, sources: new Map() },
    };
    tallies.set(accountId, tally);
    return tally;
  }
}

function countSource({ sources }: Tally, source: Watch): void {
  const key = `${source.kind} ${source.id}`;
  const known = sources.get(key);
  if (known) known.enteredHot += 1;
  else sources.set(key, { ...source, enteredHot: 1 });
}
