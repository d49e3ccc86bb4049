import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { parseCommandLine } from '../../src/commands/command.ts';
import { DEAL_DEAD_REASONS } from '../../src/domain/deal-dead-reason.ts';
import { DEAL_EXIT_STRATEGIES } from '../../src/domain/deal-exit-strategy.ts';
import { DEAL_CREATED_VIA, DEAL_SOURCES } from '../../src/domain/deal-origin.ts';
import { DEAL_MOVES, DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { DEAL_SUB_STATES } from '../../src/domain/deal-sub-state.ts';
import { dealMoney } from '../../src/events/shapes/deal.ts';

/* docs/deals.md says what the code does. */
let page: string;
beforeAll(async () => {
  page = await readFile(new URL('../../docs/deals.md', import.meta.url), 'utf8');
});

/** The rows of the table whose first heading is this, without its headings. */
function tableOf(heading: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  expect(start, heading).toBeGreaterThan(-1);
  const rows: string[][] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}

const quoted = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word);

test('the stages and the moves that they allow', () => {
  const rows = tableOf('Stage').map(([stage, , moves]) => [quoted(stage)[0], quoted(moves)]);
  expect(rows).toEqual(DEAL_STATUSES.map((status) => [status, DEAL_MOVES[status]]));
});

test('the sub-states of each stage, with what they mean', () => {
  const [, section = ''] = page.split('### sub_state\n');
  const [table = ''] = section.split('### ');
  let stage = '';
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`'))
    .map((line) => {
      const [, first, word, meaning] = line.split('|').map((cell) => cell.trim());
      stage = quoted(first)[0] ?? stage;
      return [stage, quoted(word)[0], meaning];
    });
  const expected = DEAL_STATUSES.flatMap((status) =>
    Object.entries(DEAL_SUB_STATES[status]).map(([word, meaning]) => [status, word, meaning]),
  );
  expect(rows).toEqual(expected);
});

test.each([
  ['exit_strategy', DEAL_EXIT_STRATEGIES],
  ['dead_reason', DEAL_DEAD_REASONS],
  ['source', DEAL_SOURCES],
  ['created_via', DEAL_CREATED_VIA],
])('the words of %s, with what they mean', (field, words) => {
  const rows = tableOf(field).map(([word, meaning]) => [quoted(word)[0], meaning]);
  expect(rows).toEqual(Object.entries(words));
});

test('the keys of money', () => {
  const keys = tableOf('Key').map(([key]) => quoted(key)[0]);
  expect(keys).toEqual(Object.keys(dealMoney.shape));
});

test('its commands can be called as they stand', () => {
  const calls = [...page.matchAll(/^npm run cli -- (deal \w+) ([^#\n]*)/gm)];
  expect(calls.map(([, name]) => name)).toEqual(
    ['create', 'move', 'update', 'update', 'list', 'show'].map((verb) => `deal ${verb}`),
  );
  for (const [, name, rest = ''] of calls) {
    const command = COMMANDS.find((known) => known.name === name)!;
    const argv = rest.replace('<deal id>', 'deal_1').trim().split(/\s+/);
    expect(() => parseCommandLine(command, argv)).not.toThrow();
  }
});
