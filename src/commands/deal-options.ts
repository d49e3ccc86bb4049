import { DEAL_DEAD_REASONS } from '../domain/deal-dead-reason.ts';
import { DEAL_EXIT_STRATEGIES } from '../domain/deal-exit-strategy.ts';
import { DEAL_CREATED_VIA, DEAL_SOURCES } from '../domain/deal-origin.ts';
import type { OptionSpec } from './command.ts';
import { optionName } from './option-name.ts';

/** Fields whose value is one of a few words. */
const WORDS: Readonly<Record<string, object>> = {
  exit_strategy: DEAL_EXIT_STRATEGIES,
  dead_reason: DEAL_DEAD_REASONS,
  source: DEAL_SOURCES,
  created_via: DEAL_CREATED_VIA,
};

/** The options that set these fields of a deal. */
export function fieldOptions(names: readonly string[]): Record<string, OptionSpec> {
  return Object.fromEntries(names.map((name) => [optionName(name), optionOf(name)]));
}

/** The given options as fields; an empty text clears its field. */
export function givenFields(
  options: Record<string, string>,
  names: readonly string[],
): Record<string, unknown> {
  const given = names.filter((name) => options[optionName(name)] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[optionName(name)] || null]));
}

function optionOf(name: string): OptionSpec {
  const title = name.replaceAll('_', ' ');
  const words = WORDS[name];
  if (words) return { value: 'word', help: `${title}: ${Object.keys(words).join(', ')}` };
  if (name === 'sub_state') {
    return { value: 'word', help: 'one of the sub-states of the stage (docs/deals.md)' };
  }
  if (name.endsWith('_cents')) return { value: 'cents', help: title };
  return { value: /date$|due$/.test(name) ? 'YYYY-MM-DD' : 'text', help: title };
}
