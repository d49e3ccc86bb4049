import { awaitDeliveries, sendTest } from '../endpoints/send-test.ts';
import { resumeEndpoint } from '../endpoints/resume-endpoint.ts';
import { attemptResult } from '../domain/attempt-result.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { listReplays, type Replay } from '../redelivery/replay.ts';
import { startReplay } from '../redelivery/start-replay.ts';
import { stopReplay } from '../redelivery/stop-replay.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { describe, withEndpoint, wordList } from './endpoint.ts';
import { listing, table } from './table.ts';

/** An attempt is over after ten seconds; some more for its way there and back. */
const TEST_PATIENCE_MS = 30_000;

export const endpointResume: Command = {
  name: 'endpoint resume',
  summary: 'send to it again; says how many deliveries wait to be replayed',
  args: ['endpoint id'],
  options: {
    replay: { help: 'and replay them: what failed or was skipped, in order, each once' },
    ...accountOption,
  },
  run: (input) =>
    withEndpoint(input, async (context, which) => {
      const endpoint = await resumeEndpoint(context, which);
      if (!input.options['replay']) return { json: endpoint, text: describe(endpoint) };
      const replay = await startReplay(context, which);
      const text = `${describe(endpoint)}\n\n${describeReplay(replay)}`;
      return { json: { ...endpoint, replay }, text };
    }),
};

export const endpointRedeliver: Command = {
  name: 'endpoint redeliver',
  summary: 'send again what failed or was skipped, in order, each once',
  args: ['endpoint id'],
  options: {
    state: { value: 'states', help: 'failed, skipped, delivered; failed,skipped by default' },
    since: { value: 'time', help: 'events from then on, e.g. 2026-01-31T16:00:00Z' },
    until: { value: 'time', help: 'events before then' },
    ...accountOption,
  },
  run: (input) =>
    withEndpoint(input, async (context, which) => {
      const { state, since, until } = input.options;
      const states = state === undefined ? undefined : wordList(state);
      const replay = await startReplay(context, which, { states, since, until });
      return { json: replay, text: describeReplay(replay) };
    }),
};

export const replayList: Command = {
  name: 'replay list',
  summary: "show an endpoint's replays and how far they are",
  args: ['endpoint id'],
  options: accountOption,
  run: (input) =>
    withEndpoint(input, async ({ db }, which) => {
      const replays = await listReplays(db, which);
      const rows = replays.map((replay) => [
        ...[replay.createdAt.slice(0, 19), replay.id, replay.state],
        ...[`${replay.made} of ${replay.total}`, replay.states.join(','), replay.actor],
      ]);
      const headings = ['created', 'replay', 'state', 'made', 'of states', 'by'];
      return { json: replays, text: table(headings, rows) };
    }),
};

export const replayStop: Command = {
  name: 'replay stop',
  summary: 'end a replay; what it has made goes on, the rest waits as before',
  args: ['replay id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const replayId = input.args['replay id'] ?? '';
      const replay = await stopReplay(context, { accountId, replayId });
      return { json: replay, text: describeReplay(replay) };
    }),
};

export const endpointTest: Command = {
  name: 'endpoint test',
  summary: 'send sample events to it, one attempt each, and show what it answers',
  args: ['endpoint id'],
  options: {
    events: {
      value: 'types',
      help: `event types, comma-separated (${EVENT_TYPES.join(', ')}); all when left out`,
    },
    ...accountOption,
  },
  run: (input) =>
    withEndpoint(input, async (context, which) => {
      const { events } = input.options;
      const eventTypes = events === undefined ? undefined : wordList(events);
      const deliveryIds = await sendTest(context, which, { eventTypes });
      const { accountId } = which;
      const timeoutMs = TEST_PATIENCE_MS;
      const tests = await awaitDeliveries(context, { accountId, deliveryIds, timeoutMs });
      const rows = tests.map((test) => [
        ...[test.eventType, test.finishedAt ? test.state : 'not finished yet', test.id],
        attemptResult(test.lastError, test.lastStatusCode) ?? '',
        `${test.attempts[0]?.durationMs ?? '-'} ms`,
        (test.attempts[0]?.responseExcerpt ?? '').replaceAll(/\s+/g, ' ').slice(0, 60),
      ]);
      return {
        json: tests,
        text: table(['event', 'state', 'delivery', 'result', 'took', 'answer'], rows),
      };
    }),
};

function describeReplay(replay: Replay): string {
  const { id, state, made, total, states } = replay;
  return listing({ replay: id, state, made: `${made} of ${total}`, of: states.join(', ') });
}
