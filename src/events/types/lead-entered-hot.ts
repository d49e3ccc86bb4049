import { z } from 'zod';
import { defineEvent } from '../define-event.ts';
import { leadFields, rescoredFields, sampleLead } from '../shapes/lead.ts';

/** A watched lead crossed into the hot tier (spec §2.3, §6.1). */
export const leadEnteredHot = defineEvent({
  type: 'lead.entered_hot',
  description:
    'The weekly rescore took a lead of a saved list, a farm or a watched county into the hot tier. One event for a lead, however many sources hold it.',
  fields: {
    ...leadFields,
    ...rescoredFields,
    sources: z.array(
      z.strictObject({
        kind: z.enum(['list', 'farm', 'county']),
        id: z.string(),
        name: z.string(),
      }),
    ),
  },
  sample: {
    ...sampleLead,
    previous_score: 74,
    previous_tier: 'warm',
    rescore_run_id: 'run_sample',
    sources: [{ kind: 'list', id: 'list_sample', name: 'Probate, north side' }],
  },
});
