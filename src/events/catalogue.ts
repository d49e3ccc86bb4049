import type { z } from 'zod';
import { dealClosed } from './types/deal-closed.ts';
import { dealStatusChanged } from './types/deal-status-changed.ts';
import { leadEnteredHot } from './types/lead-entered-hot.ts';
import { leadScoreUpdated } from './types/lead-score-updated.ts';
import { leadSkiptraceCompleted } from './types/lead-skiptrace-completed.ts';
import { postcardStatusChanged } from './types/postcard-status-changed.ts';
import { rescoreSummary } from './types/rescore-summary.ts';

/** Every event type there is, by name (spec §6.1): the one source for schemas, samples and texts. */
export const EVENT_CATALOGUE = {
  [leadSkiptraceCompleted.type]: leadSkiptraceCompleted,
  [leadEnteredHot.type]: leadEnteredHot,
  [leadScoreUpdated.type]: leadScoreUpdated,
  [dealStatusChanged.type]: dealStatusChanged,
  [dealClosed.type]: dealClosed,
  [postcardStatusChanged.type]: postcardStatusChanged,
  [rescoreSummary.type]: rescoreSummary,
} as const;

export type EventType = keyof typeof EVENT_CATALOGUE;

/** The `data` of an event of this type. */
export type EventData<Type extends EventType> = z.input<(typeof EVENT_CATALOGUE)[Type]['data']>;

/** The names of all event types. */
export const EVENT_TYPES = Object.keys(EVENT_CATALOGUE) as EventType[];
