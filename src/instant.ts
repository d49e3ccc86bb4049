import { z } from 'zod';

const A_TIME = 'must be a time such as 2026-01-31T16:00:00Z';

/**
 * A moment that is given from outside: ISO 8601 with an offset, and one that PostgreSQL understands
 * as well, which knows no year 0 and no offset of sixteen hours or more.
 */
export const instant = z.iso
  .datetime({ offset: true, error: A_TIME })
  .refine((text) => !/^0000|[+-](1[6-9]|2\d):\d\d$/.test(text), A_TIME);
