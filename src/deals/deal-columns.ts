import type { deals } from '../../drizzle/schema.ts';
import type { DealActuals, NewDeal } from './deal-fields.ts';

type DealColumns = Partial<typeof deals.$inferInsert>;

/** The fields of the outside (snake_case) as columns; what is not given stays as it is. */
export function dealColumns(fields: NewDeal & DealActuals): DealColumns {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [camelCase(name), value]),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
