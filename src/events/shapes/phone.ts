import { z } from 'zod';

/** A telephone number in E.164. */
export const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/);

/** One number with what is known of it (spec §2.4). */
export const phoneDetail = z.strictObject({
  number: e164,
  type: z.string(),
  dnc: z.boolean(),
  dnc_status: z.enum(['clear', 'listed', 'unknown']),
  carrier: z.string().nullable(),
});
