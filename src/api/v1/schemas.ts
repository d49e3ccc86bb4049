import { z } from '@hono/zod-openapi';
import { PLANS } from '../../domain/plan.ts';
import { LIST_STATUSES } from '../../domain/list-status.ts';
import { EVENT_TYPES } from '../../events/catalogue.ts';
import { dealObject } from '../../events/shapes/deal.ts';
import { timestamp } from '../../events/shapes/common.ts';
import { leadObject } from '../../events/shapes/lead.ts';
import { leadContacts, orderObject } from '../../events/shapes/order.ts';

/*
 * What the Read API answers. A lead and a deal have the shapes that events have: one definition
 * serves both.
 */

export const errorAnswer = z
  .strictObject({
    error: z.string().openapi({
      description:
        'A stable code: bad_request, unauthorized, pro_required, upgrade_required, not_found, method_not_allowed, unreplayable, rate_limited, internal or unavailable.',
      example: 'not_found',
    }),
    message: z.string().openapi({ description: 'For people.', example: 'No such list.' }),
    required_plan: z
      .enum(PLANS)
      .optional()
      .openapi({ description: 'The plan that is needed: with upgrade_required only.' }),
    request_id: z.string().openapi({ description: 'Also in X-Request-Id.' }),
  })
  .openapi('Error');

export const lead = z.strictObject(leadObject.shape).openapi('Lead');

export const leadRow = z
  .strictObject({ ...leadObject.shape, contacts: leadContacts.nullable() })
  .openapi('LeadRow');

export const deal = z.strictObject(dealObject.shape).openapi('Deal');
export const order = z.strictObject(orderObject.shape).openapi('Order');

export const list = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    status: z.enum(LIST_STATUSES),
    leads: z.int(),
    updated_at: timestamp,
  })
  .openapi('List');

export const farm = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    parcels: z.int(),
    alerts_enabled: z.boolean(),
    updated_at: timestamp,
  })
  .openapi('Farm');

export const search = z
  .strictObject({ id: z.string(), name: z.string(), label: z.string(), updated_at: timestamp })
  .openapi('Search');

export const sampleEvent = z
  .strictObject({
    id: z.string().regex(/^evt_sample_/),
    type: z.enum(EVENT_TYPES),
    created_at: timestamp,
    user_id: z.string(),
    data: z.looseObject({ fixture: z.literal(true) }).openapi({
      description: "What the event type's webhook carries.",
    }),
  })
  .openapi('SampleEvent');

/** What every list answer carries: `total` counts all that the filters let through. */
export const page = {
  total: z.int().min(0).openapi({ description: 'How many there are on all pages.' }),
  limit: z.int().min(1).max(100),
  offset: z.int().min(0),
};
