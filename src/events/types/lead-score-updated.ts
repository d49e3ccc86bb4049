import { z } from 'zod';
import { defineEvent } from '../define-event.ts';
import { leadFields, rescoredFields, sampleLead } from '../shapes/lead.ts';

/** The score or tier of a held lead changed (spec §2.3, §6.1). */
export const leadScoreUpdated = defineEvent({
  type: 'lead.score_updated',
  description:
    'The weekly rescore changed the score or the tier of a lead that the account saved or purchased.',
  fields: {
    ...leadFields,
    ...rescoredFields,
    held_via: z.array(z.enum(['purchased', 'saved'])),
  },
  sample: {
    ...sampleLead,
    previous_score: 81,
    previous_tier: 'hot',
    rescore_run_id: 'run_sample',
    held_via: ['saved'],
  },
});
