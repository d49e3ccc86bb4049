import { defineEvent } from '../define-event.ts';
import { dealEventFields, sampleDeal } from '../shapes/deal.ts';

/** A deal was created or moved to another stage (spec §2.3, §6.1). */
export const dealStatusChanged = defineEvent({
  type: 'deal.status_changed',
  description:
    'A deal moved to another stage. Also sent when a deal is created, at NEW, with from_status null.',
  fields: dealEventFields,
  sample: sampleDeal,
});
