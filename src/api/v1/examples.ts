import { z } from '@hono/zod-openapi';
import { sampleDeal } from '../../events/shapes/deal.ts';
import { sampleLead } from '../../events/shapes/lead.ts';
import { sampleEvents } from './sample-events.ts';
import {
  deal,
  type farm,
  type lead,
  type leadRow,
  type list,
  type order,
  type search,
} from './schemas.ts';

/*
 * One example of each thing that the Read API answers, for the reference. They speak of the same
 * lead and deal as the sample events.
 */

const { parcel_id, county, account_num, address, owner_name, deal_url } = sampleLead;

const contacts = {
  phones: ['+17135550142', '+17135550177'],
  emails: ['m.delacroix@example.com'],
  phone_primary: '+17135550142',
  email_primary: 'm.delacroix@example.com',
  callable_phones: 1,
  dnc_screened: true,
  traced_at: '2026-01-09T16:20:00.000000Z',
};

export const leadExample: z.input<typeof lead> = sampleLead;

export const leadRowExample: z.input<typeof leadRow> = {
  ...sampleLead,
  contacts: { order_id: 'ord_sample', ...contacts, phone_secondary: '+17135550177' },
};

const { to_status: status, stage_entered_at } = sampleDeal;

/** Parsed by an object that is not strict, which leaves out what only events carry. */
export const dealExample: z.input<typeof deal> = z.object(deal.shape).parse({
  ...sampleDeal,
  ...{ status, note: null, buyer_phone: null, buyer_email: null, created_via: 'manual' },
  last_activity_at: stage_entered_at,
  created_at: '2026-01-04T09:12:31.402118Z',
  updated_at: stage_entered_at,
});

export const orderExample: z.input<typeof order> = {
  ...{ order_id: 'ord_sample', batch_id: 'batch_sample', list_id: 'list_sample' },
  ...{ service: 'SKIP_TRACE', status: 'FULFILLED', price_cents: 12 },
  ...{ parcel_id, county, account_num, address, owner_name },
  created_at: '2026-01-09T16:18:44.120934Z',
  fulfilled_at: '2026-01-09T16:20:00.000000Z',
  contacts,
  postcard: null,
  lead_url: deal_url,
};

const updated_at = '2026-01-09T16:20:00.000000Z';

export const listExample: z.input<typeof list> = {
  ...{ id: 'list_sample', name: 'Probate, north side', status: 'active', leads: 214, updated_at },
};

export const farmExample: z.input<typeof farm> = {
  ...{ id: 'farm_sample', name: 'Oak Forest', parcels: 5_316, alerts_enabled: true, updated_at },
};

export const searchExample: z.input<typeof search> = {
  ...{ id: 'srch_sample', name: 'Vacant in Houston' },
  ...{ label: 'Vacant in Houston, harris; score 60 or more', updated_at },
};

export const leadsExample = {
  source: {
    ...{ kind: 'list' as const, id: 'list_sample', name: 'Probate, north side' },
    ...{ candidates: 214, candidate_cap: 5_000 },
  },
  filters: { tier: 'hot' as const, min_score: null, lead_type: null },
  leads: [leadRowExample],
  ...{ total: 37, limit: 1, offset: 0 },
};

export const samplesExample = { events: sampleEvents('acct_sample') };
