import type { InferSelectModel } from 'drizzle-orm';
import { z } from 'zod';
import { isSimple } from './is-simple.ts';
import type { LngLat } from '../../drizzle/columns.ts';
import { farms } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import type { Db } from '../db/client.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';
import { parseSourceName } from '../lists/source-name.ts';

export type Farm = InferSelectModel<typeof farms>;

const degrees = (most: number) => {
  const error = `must be a number of degrees from -${most} to ${most}`;
  return z.number({ error }).min(-most, error).max(most, error);
};

/** A farm is a neighbourhood, not a county (spec §4.3). */
const MOST_DEGREES = 1;

const outline = z.strictObject({
  corners: z
    .array(z.strictObject({ lng: degrees(180), lat: degrees(90) }))
    .transform(withoutClosingCorner)
    .refine((corners) => distinct(corners) >= 3 && corners.length <= 500, {
      error: 'must be 3 to 500 corners, three different ones at the least',
    })
    .refine(isSmall, `must lie within ${MOST_DEGREES} degree of longitude and of latitude`)
    .refine(isSimple, 'must be an outline that encloses land and does not cross itself'),
});

/**
 * Makes a farm: a piece of land that an account watches, by its corners in order. The last corner is
 * joined to the first, which may be given again at the end as in GeoJSON. Wrong corners are a
 * `bad_request`.
 */
export async function createFarm(
  db: Db,
  input: { accountId: string; name: string; corners: unknown; alertsEnabled?: boolean },
): Promise<Farm> {
  const name = parseSourceName(input.name);
  const { corners: area } = parseInput(outline, { corners: input.corners });
  const { alertsEnabled = true } = input;
  const { id: accountId } = await requireAccount(db, input.accountId);
  const [farm] = await db
    .insert(farms)
    .values({ id: newId('farm'), accountId, name, area, alertsEnabled })
    .returning();
  if (!farm) throw new Error('insert returned no row');
  return farm;
}

function withoutClosingCorner(corners: LngLat[]): LngLat[] {
  const [first, last] = [corners[0], corners.at(-1)];
  const isClosed = corners.length > 1 && first?.lng === last?.lng && first?.lat === last?.lat;
  return isClosed ? corners.slice(0, -1) : corners;
}

function isSmall(corners: LngLat[]): boolean {
  const span = (of: number[]) => Math.max(...of) - Math.min(...of);
  const spans = [span(corners.map(({ lng }) => lng)), span(corners.map(({ lat }) => lat))];
  return spans.every((degrees) => degrees <= MOST_DEGREES);
}

function distinct(corners: LngLat[]): number {
  return new Set(corners.map(({ lng, lat }) => `${lng},${lat}`)).size;
}
