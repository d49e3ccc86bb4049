import { createEndpoint } from '../endpoints/create-endpoint.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { listEndpoints, revealSecret } from '../endpoints/read-endpoints.ts';
import { setEndpointState } from '../endpoints/set-endpoint-state.ts';
import { updateEndpoint } from '../endpoints/update-endpoint.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';
import type { EndpointState } from '../domain/delivery.ts';
import type { Command } from './command.ts';
import { accountOption, chosenAccount, withService } from './context.ts';
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
    withService(input, async (context) => {
      const { url = '', events, description, account } = input.options;
      const { id: accountId } = await chosenAccount(context.db, account);
      const eventTypes = events === undefined ? [...EVENT_TYPES] : typeList(events);
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
  run: (input) =>
    withService(input, async (context) => {
      const { url, events, description, account } = input.options;
      const { id: accountId } = await chosenAccount(context.db, account);
      const endpoint = await updateEndpoint(context, {
        ...{ accountId, endpointId: input.args['endpoint id'] ?? '', url, description },
        eventTypes: events === undefined ? undefined : typeList(events),
      });
      return { json: endpoint, text: describe(endpoint) };
    }),
};

export const endpointList: Command = {
  name: 'endpoint list',
  summary: "show an account's endpoints",
  options: accountOption,
  run: (input) =>
    withService(input, async ({ db }) => {
      const { id: accountId } = await chosenAccount(db, input.options['account']);
      const endpoints = await listEndpoints(db, accountId);
      const rows = endpoints.map((endpoint) => [
        ...[endpoint.id, endpoint.state, endpoint.url, endpoint.description],
      ]);
      return { json: endpoints, text: table(['endpoint', 'state', 'url', 'description'], rows) };
    }),
};

export const endpointSecret: Command = {
  name: 'endpoint secret',
  summary: 'show the signing secret',
  args: ['endpoint id'],
  options: accountOption,
  run: (input) =>
    withService(input, async (context) => {
      const { id: accountId } = await chosenAccount(context.db, input.options['account']);
      const endpointId = input.args['endpoint id'] ?? '';
      const secret = await revealSecret(context, { accountId, endpointId });
      return { json: { id: endpointId, secret }, text: secret };
    }),
};

export const endpointPause = stateCommand('pause', 'paused', 'send nothing to it until resumed');
export const endpointResume = stateCommand('resume', 'active', 'send to it again');
export const endpointDelete = stateCommand('delete', 'deleted', 'remove it; its log stays');

function stateCommand(verb: string, state: EndpointState, summary: string): Command {
  return {
    name: `endpoint ${verb}`,
    summary,
    args: ['endpoint id'],
    options: accountOption,
    run: (input) =>
      withService(input, async ({ db }) => {
        const { id: accountId } = await chosenAccount(db, input.options['account']);
        const endpointId = input.args['endpoint id'] ?? '';
        const endpoint = await setEndpointState(db, { accountId, endpointId, state });
        return { json: endpoint, text: describe(endpoint) };
      }),
  };
}

function typeList(text: string): string[] {
  return text.split(',').map((type) => type.trim());
}

function describe(endpoint: Endpoint): string {
  const { id, state, url, eventTypes, description } = endpoint;
  const values = { endpoint: id, state, url, events: eventTypes.join(', ') };
  return listing({ ...values, ...(description && { description }) });
}
