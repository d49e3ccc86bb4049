import type { Db } from '../db/client.ts';
import { API_PLAN, planIncludes } from '../domain/plan.ts';
import { proRequired, rateLimited, unauthorized, type AppError } from '../errors.ts';
import { RATE_LIMIT, RATE_WINDOW_S, type Authentication, type Quota } from './authentication.ts';
import { hashKey, isWellFormed } from './key-text.ts';
import { noteRequests, type NotedKey } from './note-requests.ts';

/**
 * A second look is rare: a key was revoked, or filled up, between being found and its row's turn. So
 * many of them mean that a row contradicts itself, which must not keep the database busy.
 */
const MOST_LOOKS = 100;

/**
 * Decides on a request by the key that it shows, and counts it when it is let through (spec §5.1).
 * `unauthorized` for a text that is no key, a key that is unknown or one that is revoked;
 * `pro_required` while the account is on the Free plan, which does not count; `rate_limited` with
 * the seconds to wait when 120 requests have been let through in the last 60, which does not count
 * either.
 */
export async function authenticate(db: Db, key: string): Promise<Authentication> {
  const [result] = await authenticateAll(db, [key]);
  if (!result) throw new Error('no decision about a key');
  return result;
}

/** The same for several requests at once, in their order, by one statement. */
export async function authenticateAll(db: Db, keys: readonly string[]): Promise<Authentication[]> {
  const hashes = keys.map((key) => (isWellFormed(key) ? hashKey(key).toString('hex') : undefined));
  const rows = await lookUp(db, countEach(hashes));
  const taken = new Map<string, number>();
  return hashes.map((hash) => {
    const row = hash !== undefined && rows.get(hash);
    if (!row) return { refusal: unauthorized(), quota: undefined };
    const before = taken.get(row.hash) ?? 0;
    taken.set(row.hash, before + 1);
    return decide(row, before);
  });
}

/** How the keys with these hashes stand; without those that are unknown or revoked. */
async function lookUp(db: Db, requests: Map<string, number>): Promise<Map<string, NotedKey>> {
  const found = new Map<string, NotedKey>();
  for (let look = 0; requests.size > 0; look += 1) {
    if (look === MOST_LOOKS) throw new Error(`no decision about a key after ${MOST_LOOKS} looks`);
    const rows = await noteRequests(db, requests);
    for (const row of rows.filter(isDecided)) found.set(row.hash, row);
    const again = rows.filter((row) => !isDecided(row)).map(({ hash }) => hash);
    requests = new Map([...requests].filter(([hash]) => again.includes(hash)));
  }
  return found;
}

/** Not when the key seemed to have room, or to be there, and had not or was not in its turn. */
function isDecided({ noted, plan, used }: NotedKey): boolean {
  return noted !== null || used >= RATE_LIMIT || !planIncludes(plan, API_PLAN);
}

/** What comes of one request of a key, after so many others of the same statement. */
function decide({ id: keyId, accountId, plan, ...row }: NotedKey, before: number): Authentication {
  const noted = row.noted ?? 0;
  // Each is told what was left after it, as if they had come one by one.
  const usedThen = row.used - Math.max(0, noted - before - 1);
  const remaining = Math.max(0, RATE_LIMIT - usedThen);
  const quota = { limit: RATE_LIMIT, remaining, resetS: row.resetS };
  if (before < noted) return { caller: { accountId, plan, keyId }, quota };
  if (!planIncludes(plan, API_PLAN)) return { refusal: proRequired(), quota };
  // It was full when it was decided; a request may have left the window in the instant since.
  const full = remaining === 0 ? quota : { ...quota, remaining: 0, resetS: 1 };
  return { refusal: tooMany(full), quota: full };
}

function countEach(hashes: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const hash of hashes) {
    if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return counts;
}

function tooMany({ limit, resetS }: Quota): AppError {
  const rule = `A key is limited to ${limit} requests in ${RATE_WINDOW_S} seconds`;
  return rateLimited(`${rule}; try again in ${resetS} s.`, resetS);
}
