import { z } from 'zod';
import { POSTCARD_STATES } from '../../domain/postcard-state.ts';
import { defineEvent } from '../define-event.ts';
import { calendarDate, timestamp } from '../shapes/common.ts';

/** A postcard campaign moved forward (spec §2.3, §3.3, §6.1). */
export const postcardStatusChanged = defineEvent({
  type: 'postcard.status_changed',
  description: 'A postcard campaign moved on: draft, in production, mailed, estimated delivered.',
  fields: {
    campaign_id: z.string(),
    campaign_name: z.string(),
    list_id: z.string(),
    state: z.enum(POSTCARD_STATES),
    state_label: z.string(),
    cards: z.int().min(0),
    by_state: z.partialRecord(z.enum(POSTCARD_STATES), z.int().min(0)),
    mailed_at: timestamp.nullable(),
    est_delivery_date: calendarDate.nullable(),
    campaign_url: z.url(),
  },
  sample: {
    campaign_id: 'camp_sample',
    campaign_name: 'Spring owners',
    list_id: 'list_sample',
    state: 'mailed',
    state_label: 'Mailed',
    cards: 250,
    by_state: { mailed: 248, production: 2 },
    mailed_at: '2026-01-09T16:20:00.000000Z',
    est_delivery_date: '2026-01-15',
    campaign_url: 'https://app.example.com/campaigns/camp_sample',
  },
});
