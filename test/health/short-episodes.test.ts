import { randomInt } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries, outbox } from '../../drizzle/schema.ts';
import { healthWorkflowId } from '../../src/domain/workflow-id.ts';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { sendTest } from '../../src/endpoints/send-test.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import { createLog } from '../../src/log.ts';
import { startRelay } from '../../src/relay/relay.ts';
import { healthQuery, healthSignal } from '../../workflows/contract.ts';
import { eventually, finishedDelivery, newCustomer, type Customer } from '../support/customer.ts';
import { startDelivering } from '../support/delivering.ts';
import { endpointRow, mailsAbout } from '../support/endpoint-row.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { seededRandom } from '../support/random.ts';
import { startScene, status, type Hook, type Scene } from '../support/scene.ts';

/*
 * Short episodes on the real server, where what counts is who comes first.
 */

const PAUSE_AFTER_MS = 2_000;

let scene: Scene;
let other: Awaited<ReturnType<typeof startDelivering>>;

beforeAll(async () => {
  const taskQueue = `health-${randomInt(1e9)}`;
  const env = {
    RETRY_SCHEDULE: '200ms,200ms,30m',
    AUTO_PAUSE_AFTER: `${PAUSE_AFTER_MS}ms`,
    TEMPORAL_TASK_QUEUE: taskQueue,
  };
  scene = await startScene(env);
  // A second worker with its relay, as in the larger deployment.
  const origins = [new URL(scene.newHook().url).origin];
  other = await startDelivering(scene.records, { origins, env, taskQueue });
});

afterAll(async () => {
  await other.stop();
  await scene.close();
});

interface Customers {
  customer: Customer;
  hook: Hook;
  which: { accountId: string; endpointId: string };
}

async function newEndpoint(answer = status(503)): Promise<Customers> {
  const hook = scene.newHook(answer);
  const customer = await newCustomer(scene.records, hook.url);
  const which = { accountId: customer.accountId, endpointId: customer.endpoints[0]!.id };
  return { customer, hook, which };
}

const row = (endpointId: string) => endpointRow(scene.records, endpointId);
const handle = (endpointId: string) =>
  scene.delivering.client.workflow.getHandle(healthWorkflowId(endpointId));

/** What the health workflow says; undefined before there is one. */
function shown(endpointId: string) {
  return handle(endpointId)
    .query(healthQuery)
    .catch(() => undefined);
}

async function shownAs(endpointId: string, health: string): Promise<void> {
  await eventually(async () => (await shown(endpointId))?.health === health);
}

async function pausedByItself(endpointId: string): Promise<void> {
  await eventually(async () => (await row(endpointId)).state === 'paused');
}

async function mailKinds(endpointId: string) {
  return (await mailsAbout(scene.records, endpointId)).map(({ kind }) => kind);
}

describe('an episode', () => {
  it('begins with the first failed automatic attempt and ends with a 2xx', async () => {
    const { customer, hook, which } = await newEndpoint();
    await shownAs(which.endpointId, 'healthy');
    await customer.move();
    await shownAs(which.endpointId, 'failing');
    const { failingSince, healthVersion } = await row(which.endpointId);
    expect(failingSince).not.toBeNull();
    hook.answer = status(200);
    await customer.move();
    await shownAs(which.endpointId, 'healthy');
    expect(await row(which.endpointId)).toMatchObject({
      ...{ failingSince: null, state: 'active', healthVersion: healthVersion + 1 },
    });
  });

  it('is not begun by a test', async () => {
    const { hook, which } = await newEndpoint();
    const [id] = await sendTest(scene.records.context, which, { eventTypes: ['deal.closed'] });
    await eventually(async () => {
      const [test] = await scene.records.db.select().from(deliveries).where(eq(deliveries.id, id!));
      return test?.state === 'failed';
    });
    expect(hook.received).toHaveLength(1);
    expect((await row(which.endpointId)).failingSince).toBeNull();
  });

  it('ends with a change of URL, and what fails at the old one no longer counts', async () => {
    const { customer, hook, which } = await newEndpoint();
    const held: (() => void)[] = [];
    hook.answer = (response) => void held.push(() => response.writeHead(503).end());
    await customer.move();
    await eventually(() => held.length > 0);
    await updateEndpoint(
      { ...scene.records.context, checkUrl: (raw) => Promise.resolve(new URL(raw)) },
      { ...which, url: scene.newHook().url },
    );
    const { healthVersion } = await row(which.endpointId);
    held[0]!();
    const delivered = await scene.records.db
      .select({ eventId: deliveries.eventId })
      .from(deliveries)
      .where(eq(deliveries.endpointId, which.endpointId));
    await finishedDelivery(scene.records, delivered[0]!.eventId!);
    expect(await row(which.endpointId)).toMatchObject({ failingSince: null, healthVersion });
  });

  it('that has lasted long enough pauses the endpoint, mails once, and skips what is under way', async () => {
    const { customer, hook, which } = await newEndpoint();
    const eventId = await customer.move();
    await pausedByItself(which.endpointId);
    const { failingSince, pausedAt, pauseReason } = await row(which.endpointId);
    expect(pauseReason).toBe('failing');
    const lasted = Date.parse(pausedAt!) - Date.parse(failingSince!);
    expect(lasted).toBeGreaterThanOrEqual(PAUSE_AFTER_MS);
    await shownAs(which.endpointId, 'paused');
    expect(await mailKinds(which.endpointId)).toEqual(['warning', 'paused']);
    // It was waiting half an hour for its last retry.
    expect(await scene.completed(eventId)).toMatchObject([{ state: 'skipped' }]);
    const requests = hook.received.length;
    await customer.move();
    const skipped = await scene.records.db
      .select()
      .from(deliveries)
      .where(sql`endpoint_id = ${which.endpointId} and skip_reason = 'endpoint_paused'`);
    expect(skipped).toHaveLength(2);
    expect(hook.received).toHaveLength(requests);
  });

  it('begins anew after a resume: no second pause before its time', async () => {
    const { customer, which } = await newEndpoint();
    await customer.move();
    await pausedByItself(which.endpointId);
    await resumeEndpoint(scene.records.context, which);
    await shownAs(which.endpointId, 'healthy');
    await customer.move();
    await shownAs(which.endpointId, 'failing');
    const { failingSince } = await row(which.endpointId);
    await pausedByItself(which.endpointId);
    const second = await row(which.endpointId);
    expect(second.failingSince).toBe(failingSince);
    const lasted = Date.parse(second.pausedAt!) - Date.parse(failingSince!);
    expect(lasted).toBeGreaterThanOrEqual(PAUSE_AFTER_MS);
    expect(await mailKinds(which.endpointId)).toEqual(['warning', 'paused', 'warning', 'paused']);
  });
});

describe('the health workflow', () => {
  it('ends when the endpoint is deleted; another endpoint at the same URL has its own', async () => {
    const { customer, which } = await newEndpoint();
    await customer.move();
    await shownAs(which.endpointId, 'failing');
    await deleteEndpoint(scene.records.context, which);
    await handle(which.endpointId).result();
    const { url } = await row(which.endpointId);
    const again = await scene.records.newEndpoint(customer.accountId, url);
    await shownAs(again.id, 'healthy');
    expect(await mailKinds(which.endpointId)).not.toContain('paused');
  });

  it('is found by account and health', async () => {
    const { customer, which } = await newEndpoint(status(200));
    const list = async (health: string) => {
      const ids: string[] = [];
      const query = `WorkflowType = 'endpointHealth' and AccountId = '${customer.accountId}' and EndpointHealth = '${health}' and ExecutionStatus = 'Running'`;
      for await (const found of scene.delivering.client.workflow.list({ query })) {
        ids.push(found.workflowId);
      }
      return ids;
    };
    const id = healthWorkflowId(which.endpointId);
    await expect.poll(() => list('healthy'), { timeout: 20_000 }).toEqual([id]);
    await setEndpointState(scene.records, { ...which, state: 'paused' });
    await expect.poll(() => list('paused'), { timeout: 20_000 }).toEqual([id]);
    await expect.poll(() => list('healthy'), { timeout: 20_000 }).toEqual([]);
  });

  it('goes on with what it knew when its history gets long', async () => {
    const { which } = await newEndpoint(status(200));
    const { endpointId } = which;
    await shownAs(endpointId, 'healthy');
    const first = (await handle(endpointId).describe()).runId;
    const known = { state: 'active', failingSince: null, deadlines: null } as const;
    for (let version = 2; version <= 400; version += 1) {
      await handle(endpointId).signal(healthSignal, { ...known, version });
      if (version % 10 === 0) {
        await eventually(async () => ((await shown(endpointId))?.version ?? 0) >= version);
      }
    }
    await eventually(async () => (await handle(endpointId).describe()).runId !== first);
    await eventually(async () => (await shown(endpointId))?.version === 400);
    // Of an older version nothing is believed.
    await handle(endpointId).signal(healthSignal, { ...known, version: 3, state: 'deleted' });
    expect(await shown(endpointId)).toMatchObject({ health: 'healthy', version: 400 });
  });

  it('that was ended by mistake is started again when something happens', async () => {
    const { customer, which } = await newEndpoint();
    await shownAs(which.endpointId, 'healthy');
    await handle(which.endpointId).terminate('by mistake');
    await customer.move();
    await pausedByItself(which.endpointId);
    expect(await mailKinds(which.endpointId)).toContain('paused');
  });

  it('that was lost in mid-episode is started again when the pause is overdue', async () => {
    const { customer, which } = await newEndpoint();
    await customer.move();
    await shownAs(which.endpointId, 'failing');
    await handle(which.endpointId).terminate('lost');
    const pausePolicy = { pauseAfterMs: PAUSE_AFTER_MS, warnBeforeMs: 500 };
    await scene.records.db.execute(sql`
      update endpoints set failing_since = failing_since - interval '1 minute'
      where id = ${which.endpointId}`);
    // A relay that starts looks for what is overdue.
    const relay = startRelay(
      {
        ...{ database: scene.records.database, client: scene.delivering.client },
        ...{ log: createLog('silent'), prepare: () => Promise.resolve() },
      },
      { taskQueue: scene.taskQueue, pausePolicy, overdueAfterMs: 1_000 },
    );
    await pausedByItself(which.endpointId);
    await relay.stop();
    expect(await mailKinds(which.endpointId)).toContain('paused');
  });

  it('is told of a change that was committed just before a crash', async () => {
    const { customer, which } = await newEndpoint(status(200));
    await shownAs(which.endpointId, 'healthy');
    // Committed, and nobody has told anything yet: the queue knows.
    await scene.records.db.transaction(async (tx) => {
      await tx.execute(sql`
        update endpoints set failing_since = now(), health_version = health_version + 1
        where id = ${which.endpointId}`);
      await tx.insert(outbox).values({
        key: healthWorkflowId(which.endpointId),
        ...{ task: 'health', accountId: customer.accountId, subjectId: which.endpointId },
      });
    });
    await pausedOrCleared(which.endpointId);
  });
});

/** Both ends of an episode are right; one of them must come. */
async function pausedOrCleared(endpointId: string): Promise<void> {
  await eventually(async () => {
    const { state, failingSince } = await row(endpointId);
    return state === 'paused' || failingSince === null;
  });
}

it('a pause that races a success: the endpoint is either paused, with one mail, or healthy, with none', async () => {
  const random = seededRandom();
  const endpoints = await Promise.all(Array.from({ length: 20 }, () => newEndpoint()));
  await Promise.all(
    endpoints.map(async ({ customer, hook, which }) => {
      await customer.move();
      await eventually(async () => (await row(which.endpointId)).failingSince);
      const { failingSince } = await row(which.endpointId);
      // About when the deadline comes; Temporal's timers are up to a second late.
      const at = Date.parse(failingSince!) + PAUSE_AFTER_MS - 300 + random.integer(1_800);
      await eventually(() => Date.now() >= at);
      hook.answer = status(200);
      await customer.move();
      await pausedOrCleared(which.endpointId);
    }),
  );
  let paused = 0;
  for (const { which } of endpoints) {
    const { state, failingSince } = await row(which.endpointId);
    const kinds = (await mailKinds(which.endpointId)).filter((kind) => kind === 'paused');
    expect(kinds).toHaveLength(state === 'paused' ? 1 : 0);
    if (state === 'active') expect(failingSince).toBeNull();
    else paused += 1;
    await shownAs(which.endpointId, state === 'paused' ? 'paused' : 'healthy');
  }
  console.log(`  ${paused} of ${endpoints.length} were paused (${random.description})`);
});
