import { z } from 'zod';
import { defineEvent } from '../define-event.ts';
import { timestamp } from '../shapes/common.ts';
import { leadFields, sampleLead } from '../shapes/lead.ts';
import { e164, phoneDetail } from '../shapes/phone.ts';

/** A skip trace found (or did not find) the owner's contacts (spec §2.3, §6.1). */
export const leadSkiptraceCompleted = defineEvent({
  type: 'lead.skiptrace.completed',
  description:
    'A skip-trace order finished. One event for each lead of the order, with the contacts that were purchased.',
  fields: {
    ...leadFields,
    order_id: z.string(),
    batch_id: z.string(),
    list_id: z.string(),
    list_name: z.string(),
    phones: z.array(e164),
    phone_details: z.array(phoneDetail),
    emails: z.array(z.string()),
    phone_primary: e164.nullable(),
    phone_secondary: e164.nullable(),
    email_primary: z.string().nullable(),
    callable_phones: z.int().min(0),
    dnc_screened: z.boolean(),
    litigator: z.boolean(),
    traced_at: timestamp,
  },
  sample: {
    ...sampleLead,
    order_id: 'ord_sample',
    batch_id: 'batch_sample',
    list_id: 'list_sample',
    list_name: 'Probate, north side',
    phones: ['+17135550142', '+17135550177'],
    phone_details: [
      {
        number: '+17135550142',
        type: 'mobile',
        dnc: false,
        dnc_status: 'clear',
        carrier: 'Example Wireless',
      },
      { number: '+17135550177', type: 'landline', dnc: true, dnc_status: 'listed', carrier: null },
    ],
    emails: ['m.delacroix@example.com'],
    phone_primary: '+17135550142',
    phone_secondary: '+17135550177',
    email_primary: 'm.delacroix@example.com',
    callable_phones: 1,
    dnc_screened: true,
    litigator: false,
    traced_at: '2026-01-09T16:20:00.000000Z',
  },
});
