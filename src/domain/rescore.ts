import { tierOf } from './tier.ts';

/** What made a rescore begin: its weekly schedule, or somebody who asked. */
export const RESCORE_TRIGGERS = ['schedule', 'request'] as const;
export type RescoreTrigger = (typeof RESCORE_TRIGGERS)[number];

export const RESCORE_STATES = ['running', 'finished'] as const;
export type RescoreState = (typeof RESCORE_STATES)[number];

/** Through what an account hears that a lead became hot, in the order in which payloads name it. */
export const WATCH_KINDS = ['list', 'farm', 'county'] as const;
export type WatchKind = (typeof WATCH_KINDS)[number];

/** What a rescore did to a score that had been made known (spec §6.1). */
export interface ScoreChange {
  /** The score, and with it perhaps the tier, is another. */
  changed: boolean;
  enteredHot: boolean;
}

/** Compares the score that was made known with the one that it is now. */
export function scoreChange(announced: number, score: number): ScoreChange {
  const enteredHot = tierOf(announced) !== 'hot' && tierOf(score) === 'hot';
  return { changed: announced !== score, enteredHot };
}

/** How far a rescore is, as its workflow and its activities speak of it: counts only. */
export interface RescoreProgress {
  state: RescoreState;
  parcels: number;
  parcelsExpected: number;
  changed: number;
  events: number;
  heldBack: number;
  summaries: number;
}

/** How far it is, in one line: `412,000 of 1,000,000 parcels, 9,310 changed, 310 events`. */
export function describeProgress(progress: RescoreProgress): string {
  const { parcels, parcelsExpected, changed, events, heldBack, summaries } = progress;
  // Parcels that are imported meanwhile come on top.
  const all = Math.max(parcels, parcelsExpected);
  return [
    `${grouped(parcels)} of ${grouped(all)} parcels`,
    `${grouped(changed)} changed`,
    `${grouped(events)} events`,
    heldBack > 0 && `${grouped(heldBack)} held back`,
    summaries > 0 && `${grouped(summaries)} summaries`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Digits in groups of three; written out, because workflow code knows no locale for certain. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
