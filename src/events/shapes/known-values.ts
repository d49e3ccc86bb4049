import { z } from 'zod';
import { DEAL_STATUSES } from '../../domain/deal-status.ts';
import { subStatesOf } from '../../domain/deal-sub-state.ts';

/**
 * A word of a list that may grow: any string is right, so that receivers take words that are added
 * later (spec §9), and the description names those that there are.
 */
export function knownWord(words: Readonly<Record<string, string>>, about: string) {
  const known = Object.entries(words).map(([word, meaning]) => `\`${word}\` (${meaning})`);
  return z.string().describe(`${about}: ${known.join(', ')}. More may be added.`);
}

/** The same for the sub-state of a deal, whose words belong to stages. */
export function knownSubState() {
  const known = DEAL_STATUSES.filter((status) => subStatesOf(status).length > 0).map(
    (status) => `at ${status} ${subStatesOf(status).join(', ')}`,
  );
  return z
    .string()
    .nullable()
    .describe(`Where the deal stands within its stage: ${known.join('; ')}. More may be added.`);
}
