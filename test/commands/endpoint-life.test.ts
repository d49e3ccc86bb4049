import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { EVENT_TYPES } from '../../src/events/catalogue.ts';
import { verifyReceipt } from '../delivery/receipt.ts';
import { gotRequests, holding } from '../redelivery/recipient.ts';
import { runCli, runJson } from '../support/cli.ts';
import { TEST_KEY } from '../support/config.ts';
import { eventually } from '../support/customer.ts';
import { startScene, status, type Hook, type Scene } from '../support/scene.ts';

/*
 * The commands as an operator types them, each in a process of its own, beside a running service.
 * There is one account, so that --account need not be given.
 */
/** Each test runs a dozen processes or more. */
const PATIENCE_MS = 180_000;

let scene: Scene;
let env: Record<string, string>;
let move: () => Promise<void>;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '50ms', DELIVERY_TIMEOUT: '2m' });
  const { context, url } = scene.records;
  env = {
    ...{ DATABASE_URL: url, SECRET_KEY: TEST_KEY.toString('hex'), LOG_LEVEL: 'silent' },
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    DEV_ENDPOINT_ORIGINS: new URL(scene.newHook().url).origin,
  };
  const { id: accountId } = await scene.records.newAccount();
  const deal = await scene.records.newDeal(accountId);
  let stage = 'NEW';
  move = async () => {
    stage = stage === 'NEW' ? 'CONTACTED' : 'NEW';
    await moveDeal(context, { accountId, dealId: deal.id, to: stage });
  };
});

afterAll(() => scene.close());

const json = <T = Record<string, unknown>>(...args: string[]) => runJson<T>(args, env);

/** What a command prints for people. */
async function text(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The one JSON value of a command that is refused. */
async function refused(code: number, ...args: string[]): Promise<unknown> {
  const result = await runCli([...args, '--json'], env);
  expect(result.code).toBe(code);
  return JSON.parse(result.stdout);
}

interface Shown {
  id: string;
  state: string;
  secret: string;
  waiting: number;
}

interface Logged {
  id: string;
  kind: string;
  eventId: string;
  state: string;
  replacedBy: string | null;
}

interface ShownReplay {
  id: string;
  state: string;
  made: number;
  total: number;
}

/** An endpoint of its own; those of earlier tests get nothing any more. */
async function newEndpoint() {
  const hook = scene.newHook();
  const args = ['--url', hook.url, '--events', 'deal.status_changed'];
  return { hook, endpoint: await json<Shown>('endpoint', 'create', ...args) };
}

const deliveries = (endpointId: string) =>
  json<Logged[]>('delivery', 'list', '--endpoint', endpointId);

const received = (hook: Hook) => hook.received.map(({ headers }) => headers['x-svc-event-id']);

/** Waits until the newest replay of an endpoint is over. */
async function replayOver(endpointId: string): Promise<ShownReplay> {
  const over = await eventually(async () => {
    const [replay] = await json<ShownReplay[]>('replay', 'list', endpointId);
    return replay && replay.state !== 'running' ? replay : undefined;
  });
  return over;
}

it(
  'created, shown, changed, paused, resumed with a replay, deleted; and who did it',
  async () => {
    const hook = scene.newHook();
    const description = 'the CRM of the office';
    const made = await text('endpoint', 'create', '--url', hook.url, '--description', description);
    const [, id = ''] = /endpoint +(ep_\w+)/.exec(made) ?? [];
    const [, secret = ''] = /secret +(whsec_\S+)/.exec(made) ?? [];
    expect(made).toContain(`url          ${hook.url}`);
    expect(made).toContain(EVENT_TYPES.join(', '));
    expect(await text('endpoint', 'secret', id)).toBe(`${secret}\n`);

    const shown = await text('endpoint', 'show', id);
    expect(shown).toMatch(/^endpoint +ep_\w+\nhealth +healthy\nwaiting +nothing to replay\n/);
    expect(shown).toContain(description);
    expect(shown).not.toContain('whsec_');
    expect(await text('endpoint', 'list')).toMatch(new RegExp(`${id} +healthy +${hook.url}`));

    const moved = scene.newHook();
    const args = ['--url', moved.url, '--events', 'deal.status_changed, deal.closed'];
    expect(await json('endpoint', 'update', id, ...args)).toMatchObject({
      ...{ id, url: moved.url, eventTypes: ['deal.status_changed', 'deal.closed'], description },
    });
    expect(await refused(2, 'endpoint', 'update', id)).toMatchObject({ error: 'usage' });
    await move();
    await gotRequests(moved, 1);
    expect(await verifyReceipt(moved.received[0]!, secret)).toBe('accepted');

    expect(await text('endpoint', 'pause', id)).toMatch(/health +paused\npaused +\S+Z \(by hand\)/);
    expect(await refused(1, 'endpoint', 'pause', id)).toMatchObject({ error: 'conflict' });
    await move();
    await move();
    expect(await text('endpoint', 'show', id)).toMatch(/waiting +2 deliveries failed or skipped/);
    expect(await text('delivery', 'list', '--endpoint', id)).toContain('endpoint_paused');

    const resumed = await text('endpoint', 'resume', id, '--replay');
    expect(resumed).toMatch(/health +healthy[^]*\n\nreplay +\S+\nstate +running\nmade +0 of 2\n/);
    expect(await replayOver(id)).toMatchObject({ state: 'done', made: 2, total: 2 });
    expect(moved.received).toHaveLength(3);
    expect(hook.received).toHaveLength(0);
    expect(await text('replay', 'list', id)).toMatch(/done +2 of 2 +failed,skipped +cli:\S+\n$/);

    expect(await text('endpoint', 'delete', id)).toMatch(/health +deleted/);
    expect(await refused(1, 'endpoint', 'show', id)).toMatchObject({ error: 'not_found' });
    expect(await json('endpoint', 'list')).toEqual([]);
    const entries = await json<{ action: string; actor: string }[]>('audit', 'list', '--of', id);
    expect(entries.map(({ action }) => action.replace('endpoint.', ''))).toEqual([
      ...[
        'deleted',
        'replay_started',
        'resumed',
        'paused',
        'updated',
        'secret_revealed',
        'created',
      ],
    ]);
    expect(entries.every(({ actor }) => /^cli:\S+$/.test(actor))).toBe(true);
    expect(await text('audit', 'list', '--of', id)).toMatch(
      /endpoint\.resumed +ep_\w+ +waiting=2\n/,
    );
  },
  PATIENCE_MS,
);

it(
  'a delivery is sent again, and the log shows which stands for which (spec §4.1)',
  async () => {
    const { hook, endpoint } = await newEndpoint();
    await move();
    const [original] = await eventually(async () => {
      const log = await deliveries(endpoint.id);
      return log[0]?.state === 'delivered' ? log : undefined;
    });
    const said = await text('delivery', 'redeliver', original!.id);
    const [, id = ''] = /^dlv_\w+ is sent again as (dlv_\w+)\n$/.exec(said) ?? [];
    await gotRequests(hook, 2);
    await eventually(async () => (await deliveries(endpoint.id))[0]?.state === 'delivered');
    expect(await deliveries(endpoint.id)).toMatchObject([
      { id, kind: 'redelivery', redeliveryOf: original!.id, replacedBy: null },
      { id: original!.id, kind: 'automatic', replacedBy: id },
    ]);
    const list = await text('delivery', 'list', '--endpoint', endpoint.id);
    expect(list).toContain('deal.status_changed (redelivery)');
    const shown = await text('delivery', 'show', id);
    expect(shown).toMatch(new RegExp(`kind +redelivery of ${original!.id}\n`));
    expect(shown).toMatch(new RegExp(`workflow +redelivery:${id}\n`));
    expect(await text('delivery', 'show', original!.id)).toMatch(
      new RegExp(`redelivered as +${id}`),
    );
    expect(await json('delivery', 'redeliver', id)).toMatchObject({ redeliveryOf: id });
    const unknown = await refused(1, 'delivery', 'redeliver', 'dlv_unknown');
    expect(unknown).toMatchObject({ error: 'not_found' });
    await json('endpoint', 'delete', endpoint.id);
  },
  PATIENCE_MS,
);

it(
  'what an endpoint missed is sent again by state and time; a replay is listed and stopped',
  async () => {
    const { hook, endpoint } = await newEndpoint();
    expect(await text('replay', 'list', endpoint.id)).toBe('(none)\n');
    hook.answer = status(500);
    await move();
    await eventually(async () => (await deliveries(endpoint.id))[0]?.state === 'failed');
    await json('endpoint', 'pause', endpoint.id);
    await move();
    await move();
    expect(await refused(1, 'endpoint', 'redeliver', endpoint.id)).toMatchObject({
      ...{ error: 'conflict', message: 'The endpoint is paused; resume it first.' },
    });
    expect(await json('endpoint', 'resume', endpoint.id)).toMatchObject({ waiting: 3 });

    const { answer, release } = holding(200);
    hook.answer = answer;
    const before = hook.received.length;
    const args = ['endpoint', 'redeliver', endpoint.id] as const;
    const said = await text(...args, '--state', 'skipped', '--since', '2026-01-01T00:00:00Z');
    expect(said).toMatch(/^replay +\S+\nstate +running\nmade +0 of 2\nof +skipped\n$/);
    await gotRequests(hook, before + 1);
    expect(await refused(1, ...args)).toMatchObject({ error: 'conflict' });
    const [running] = await json<ShownReplay[]>('replay', 'list', endpoint.id);
    expect(running).toMatchObject({ state: 'running', made: 1, total: 2 });
    const stopped = await text('replay', 'stop', running!.id);
    expect(stopped).toMatch(/state +stopped\nmade +1 of 2\n/);
    expect(await refused(1, 'replay', 'stop', running!.id)).toMatchObject({ error: 'conflict' });
    release();
    await eventually(async () => (await deliveries(endpoint.id))[0]?.state === 'delivered');

    await json(...args);
    expect(await replayOver(endpoint.id)).toMatchObject({ state: 'done', made: 2, total: 2 });
    const log = await deliveries(endpoint.id);
    const missed = [...new Set(log.map(({ eventId }) => eventId))].toReversed();
    const came = received(hook).slice(before);
    expect(came).toHaveLength(3);
    expect(came.toSorted()).toEqual(missed.toSorted());

    for (const [option, value, field] of [
      ['--state', 'pending', 'states.0'],
      ['--since', 'yesterday', 'since'],
      ['--until', '2026-13-01T00:00:00Z', 'until'],
    ] as const) {
      expect(await refused(1, ...args, option, value)).toMatchObject({
        error: 'bad_request',
        field,
      });
    }
    await json('endpoint', 'delete', endpoint.id);
  },
  PATIENCE_MS,
);

describe('a test is sent and its result shown (spec §6.2)', () => {
  it(
    'of one type and of all; a 500 is a result, not an error of the command',
    async () => {
      const { hook, endpoint } = await newEndpoint();
      hook.answer = status(500, 'not\ntoday');
      const one = await text('endpoint', 'test', endpoint.id, '--events', 'deal.closed');
      expect(one).toMatch(
        /^event +state +delivery +result +took +answer\ndeal\.closed +failed +dlv_\w+ +500 +\d+ ms +not today\n$/,
      );
      hook.answer = status(200);
      const all = await json<Logged[]>('endpoint', 'test', endpoint.id);
      expect(all).toHaveLength(EVENT_TYPES.length);
      expect(all.every(({ kind, state }) => kind === 'test' && state === 'delivered')).toBe(true);
      const fault = await refused(1, 'endpoint', 'test', endpoint.id, '--events', 'deal.opened');
      expect(fault).toMatchObject({ error: 'bad_request', field: 'event_types.0' });
      await json('endpoint', 'delete', endpoint.id);
    },
    PATIENCE_MS,
  );
});

describe('a secret is rotated (spec §6.3)', () => {
  it.each([
    ['none', []],
    ['two', ['--prepare', '--now']],
    ['all three', ['--prepare', '--switch', '--now']],
  ])('%s of the switches: wrong usage', async (_, switches) => {
    const result = await runCli(['endpoint', 'rotate', 'ep_any', ...switches], env);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('one of --prepare, --switch and --now is needed');
    expect(await refused(2, 'endpoint', 'rotate', 'ep_any', ...switches)).toMatchObject({
      error: 'usage',
    });
  });

  it(
    'prepared, shown beside the present one, switched to; and at once',
    async () => {
      const { hook, endpoint } = await newEndpoint();
      const { id, secret } = endpoint;
      const early = await refused(1, 'endpoint', 'rotate', id, '--switch');
      expect(early).toMatchObject({ error: 'conflict' });
      const said = await text('endpoint', 'rotate', id, '--prepare');
      const [, next = ''] = /^next secret +(whsec_\S+)\n/.exec(said) ?? [];
      expect(said).toContain(`"endpoint rotate ${id} --switch"`);
      expect(await text('endpoint', 'secret', id)).toBe(`${secret}\nnext: ${next}\n`);
      expect(await text('endpoint', 'show', id)).toMatch(/rotation +a next secret is prepared\n/);
      expect(await text('endpoint', 'rotate', id, '--switch')).toContain('in use from now on');
      expect(await json('endpoint', 'secret', id)).toEqual({ id, secret: next, nextSecret: null });
      await move();
      await gotRequests(hook, 1);
      expect(await verifyReceipt(hook.received[0]!, next)).toBe('accepted');

      const { secret: newest } = await json<Shown>('endpoint', 'rotate', id, '--now');
      await move();
      await gotRequests(hook, 2);
      expect(await verifyReceipt(hook.received[1]!, newest)).toBe('accepted');
      const told = await text('audit', 'list');
      expect(told).toMatch(/endpoint\.secret_switched +ep_\w+ +now=true\n/);
      expect(told).not.toContain('whsec_');
      await json('endpoint', 'delete', id);
    },
    PATIENCE_MS,
  );
});
