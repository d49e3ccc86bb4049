import { z } from 'zod';
import { defineEvent } from '../define-event.ts';

/** A rescore changed more leads than were sent one by one (spec §2.3, §6.1). */
export const rescoreSummary = defineEvent({
  type: 'rescore.summary',
  description:
    'Once for a rescore run in which more leads changed than the cap allows to send one by one, or while deliveries are backed up: counts for each source and a link.',
  fields: {
    rescore_run_id: z.string(),
    reason: z.enum(['cap_exceeded', 'backlog']),
    entered_hot_total: z.int().min(0),
    entered_hot_sent: z.int().min(0),
    score_updated_total: z.int().min(0),
    score_updated_sent: z.int().min(0),
    per_source: z.array(
      z.strictObject({
        kind: z.enum(['list', 'farm', 'county']),
        id: z.string(),
        name: z.string(),
        entered_hot: z.int().min(0),
      }),
    ),
    view_url: z.url(),
  },
  sample: {
    rescore_run_id: 'run_sample',
    reason: 'cap_exceeded',
    entered_hot_total: 412,
    entered_hot_sent: 200,
    score_updated_total: 655,
    score_updated_sent: 200,
    per_source: [
      { kind: 'farm', id: 'farm_sample', name: 'Oak Forest', entered_hot: 41 },
      { kind: 'county', id: 'harris', name: 'Harris', entered_hot: 371 },
    ],
    view_url: 'https://app.example.com/rescores/run_sample',
  },
});
