import { createEndpoint } from '../endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../endpoints/delete-endpoint.ts';
import type { Endpoint, EndpointContext, WhichEndpoint } from '../endpoints/endpoint.ts';
import { pauseEndpoint } from '../endpoints/pause-endpoint.ts';
import { listEndpoints, revealSecret, showEndpoint } from '../endpoints/read-endpoints.ts';
import { updateEndpoint } from '../endpoints/update-endpoint.ts';
import { healthState } from '../domain/health.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { UsageError, type Command, type CommandInput } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { listing, table } from './table.ts';

const eventsOption = {
  value: 'types',
  help: `event types, comma-separated (${EVENT_TYPES.join(', ')})`,
} as const;

export const endpointCreate: Command = {
  name: 'endpoint create',
  summary: 'make an endpoint; shows its signing secret',
  options: {
    url: { value: 'url', help: 'public https URL that events are sent to', required: true },
    events: { ...eventsOption, help: `${eventsOption.help}; all when left out` },
    description: { value: 'text', help: 'what it is' },
    ...accountOption,
  },
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const { url = '', events, description } = input.options;
      const eventTypes = events === undefined ? [...EVENT_TYPES] : wordList(events);
      const created = await createEndpoint(context, { accountId, url, eventTypes, description });
      return { json: created, text: `${describe(created)}\nsecret       ${created.secret}` };
    }),
};

export const endpointUpdate: Command = {
  name: 'endpoint update',
  summary: 'change URL, event types or description',
  args: ['endpoint id'],
  options: {
    url: { value: 'url', help: 'public https URL that events are sent to' },
    events: eventsOption,
    description: { value: 'text', help: 'what it is' },
    ...accountOption,
  },
  run(input) {
    const { url, events, description } = input.options;
    if ([url, events, description].every((option) => option === undefined)) {
      throw new UsageError('one of --url, --events and --description is needed');
    }
    return withEndpoint(input, async (context, which) => {
      const eventTypes = events === undefined ? undefined : wordList(events);
      const endpoint = await updateEndpoint(context, { ...which, url, description, eventTypes });
      return { json: endpoint, text: describe(endpoint) };
    });
  },
};

export const endpointList: Command = {
  name: 'endpoint list',
  summary: "show an account's endpoints",
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const endpoints = await listEndpoints(db, accountId);
      const rows = endpoints.map((endpoint) => [
        ...[endpoint.id, healthState(endpoint), endpoint.url, endpoint.description],
      ]);
      return { json: endpoints, text: table(['endpoint', 'health', 'url', 'description'], rows) };
    }),
};

export const endpointShow: Command = {
  name: 'endpoint show',
  summary: 'show an endpoint: its health, and how many deliveries wait to be replayed',
  args: ['endpoint id'],
  options: accountOption,
  run: (input) =>
    withEndpoint(input, async ({ db }, which) => {
      const endpoint = await showEndpoint(db, which);
      return { json: endpoint, text: describe(endpoint) };
    }),
};

export const endpointSecret: Command = {
  name: 'endpoint secret',
  summary: 'show the signing secret, and the prepared next one',
  args: ['endpoint id'],
  options: accountOption,
  run: (input) =>
    withEndpoint(input, async (context, which) => {
      const { secret, nextSecret } = await revealSecret(context, which);
      const text = nextSecret ? `${secret}\nnext: ${nextSecret}` : secret;
      return { json: { id: which.endpointId, secret, nextSecret }, text };
    }),
};

export const endpointPause = stateCommand('pause', pauseEndpoint, 'send nothing until resumed');
export const endpointDelete = stateCommand('delete', deleteEndpoint, 'remove it; its log stays');

function stateCommand(
  verb: string,
  change: (context: EndpointContext, which: WhichEndpoint) => Promise<Endpoint>,
  summary: string,
): Command {
  return {
    name: `endpoint ${verb}`,
    summary,
    args: ['endpoint id'],
    options: accountOption,
    run: (input) =>
      withEndpoint(input, async (context, which) => {
        const endpoint = await change(context, which);
        return { json: endpoint, text: describe(endpoint) };
      }),
  };
}

/** Runs a piece of work on the endpoint of the first argument. */
export function withEndpoint<T>(
  input: CommandInput,
  work: (context: EndpointContext, which: WhichEndpoint) => Promise<T>,
): Promise<T> {
  const endpointId = input.args['endpoint id'] ?? '';
  return withAccount(input, (context, accountId) => work(context, { accountId, endpointId }));
}

/** Words separated by commas. */
export function wordList(text: string): string[] {
  return text.split(',').map((word) => word.trim());
}

/** An endpoint for people. */
export function describe(endpoint: Endpoint & { waiting?: number }): string {
  const { id, url, eventTypes, description, failingSince, pausedAt, pauseReason } = endpoint;
  return listing({
    endpoint: id,
    health: healthState(endpoint),
    ...(failingSince && { 'failing since': failingSince }),
    ...(pausedAt && {
      paused: `${pausedAt} (${pauseReason === 'manual' ? 'by hand' : 'every delivery failed'})`,
    }),
    ...(endpoint.waiting !== undefined && {
      waiting: waitingText(endpoint.waiting, endpoint.state),
    }),
    url,
    events: eventTypes.join(', '),
    ...(description && { description }),
    ...(endpoint.secretPrepared && { rotation: 'a next secret is prepared' }),
  });
}

function waitingText(waiting: number, state: string): string {
  if (waiting === 0) return 'nothing to replay';
  const what = `${waiting} ${waiting === 1 ? 'delivery' : 'deliveries'} failed or skipped`;
  const how = state === 'paused' ? 'endpoint resume --replay' : 'endpoint redeliver';
  return `${what}; "${how}" sends them`;
}
