import { z } from 'zod';

const A_TIME = 'must be a time such as 2026-01-31T16:00:00Z, or a day such as 2026-01-31';

/** ISO 8601 as people write it: the time, its seconds and the colon of its offset may be missing. */
const FORM = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/i;

/**
 * A moment that is given from outside: ISO 8601 with an offset, or a day, and one that PostgreSQL
 * understands as well, which knows no year 0 and no offset of sixteen hours or more.
 */
export const instant = z
  .string({ error: A_TIME })
  .transform(whole)
  .pipe(z.iso.datetime({ offset: true, error: A_TIME }))
  .refine((text) => !/^0000|[+-](1[6-9]|2\d):\d\d$/.test(text), A_TIME);

/** With all its parts. */
function whole(text: string): string {
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = FORM.exec(text) ?? [];
  if (date === undefined) return text;
  const offset = zone.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  return `${date}T${time}${seconds}${offset}`;
}
