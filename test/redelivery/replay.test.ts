import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { showEndpoint } from '../../src/endpoints/read-endpoints.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { sendTest } from '../../src/endpoints/send-test.ts';
import { redeliver } from '../../src/redelivery/redeliver.ts';
import { listReplays } from '../../src/redelivery/replay.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { startScene, status, type Scene } from '../support/scene.ts';
import { gotRequests, holding, newRecipient, type Recipient } from './recipient.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ RETRY_SCHEDULE: '50ms', DELIVERY_TIMEOUT: '1m' });
});

afterAll(() => scene.close());

/** Makes so many events whose deliveries fail. */
async function fail(recipient: Recipient, times: number): Promise<string[]> {
  const { answer } = recipient;
  recipient.answer = status(500);
  const eventIds = await recipient.move(times);
  await recipient.settled();
  recipient.answer = answer;
  return eventIds;
}

/** Runs a replay to its end; answers it and which events came in that time, in order. */
async function replayed(recipient: Recipient, input?: Parameters<Recipient['replay']>[0]) {
  const before = recipient.hook.received.length;
  recipient.mostOpen = 0;
  const replay = await recipient.ended((await recipient.replay(input)).id);
  return { ...replay, came: recipient.received().slice(before) };
}

const waiting = async ({ which }: Recipient) =>
  (await showEndpoint(scene.records.db, which)).waiting;

describe('after a pause (spec §6.2)', () => {
  it('what was skipped is logged, counted at the resume, and replayed: each once, in order, one at a time', async () => {
    const recipient = await newRecipient(scene);
    await recipient.pause();
    const missed = await recipient.move(8);
    for (const delivery of await recipient.log()) {
      expect(delivery).toMatchObject({ state: 'skipped', skipReason: 'endpoint_paused' });
    }
    expect(await resumeEndpoint(scene.records.context, recipient.which)).toMatchObject({
      ...{ state: 'active', waiting: 8 },
    });
    expect(recipient.hook.received).toHaveLength(0);

    const replay = await replayed(recipient);
    expect(replay).toMatchObject({ state: 'done', total: 8, made: 8, actor: 'test' });
    expect(replay).toMatchObject({ states: ['failed', 'skipped'], since: null, until: null });
    expect(replay.came).toEqual(missed);
    expect(recipient.mostOpen).toBe(1);
    expect(await waiting(recipient)).toBe(0);
    const log = await recipient.log();
    expect(log).toHaveLength(16);
    const made = log.slice(8);
    expect(made.map(({ eventId }) => eventId)).toEqual(missed);
    for (const [i, delivery] of made.entries()) {
      expect(delivery).toMatchObject({ kind: 'redelivery', state: 'delivered' });
      expect(delivery).toMatchObject({ replayId: replay.id, redeliveryOf: log[i]!.id });
      expect(log[i]).toMatchObject({ state: 'skipped', replacedBy: delivery.id });
    }
  });

  it('with nothing missed: a replay of nothing is over at once', async () => {
    const recipient = await newRecipient(scene);
    expect(await replayed(recipient)).toMatchObject({ state: 'done', total: 0, made: 0, came: [] });
  });

  it("to a paused endpoint, a deleted one or another account's: no replay is begun", async () => {
    const [recipient, stranger] = [await newRecipient(scene), await newRecipient(scene)];
    const { context, db } = scene.records;
    const foreign = { ...recipient.which, accountId: stranger.accountId };
    await expect(startReplay(context, foreign)).rejects.toMatchObject({ code: 'not_found' });
    await recipient.pause();
    await expect(recipient.replay()).rejects.toMatchObject({ code: 'conflict' });
    await deleteEndpoint(context, recipient.which);
    await expect(recipient.replay()).rejects.toMatchObject({ code: 'not_found' });
    for (const which of [foreign, recipient.which]) {
      expect(await listReplays(db, which)).toEqual([]);
    }
  });
});

describe('what a replay takes', () => {
  it('failed ones too, in the order of the events; delivered ones and tests not', async () => {
    const recipient = await newRecipient(scene);
    await recipient.move(1);
    await recipient.settled();
    const failed = await fail(recipient, 2);
    const skipped = await recipient.miss(2);
    const failedLater = await fail(recipient, 1);
    recipient.answer = status(500);
    await sendTest(scene.records.context, recipient.which, { eventTypes: ['deal.closed'] });
    await recipient.settled();
    recipient.answer = status(200);
    const all = [...failed, ...skipped, ...failedLater];
    expect(await waiting(recipient)).toBe(5);
    expect(await replayed(recipient)).toMatchObject({ state: 'done', made: 5, came: all });
    expect(await waiting(recipient)).toBe(0);
    // Nothing is left for a second one.
    expect(await replayed(recipient)).toMatchObject({ state: 'done', made: 0, came: [] });
  });

  it('not what somebody has redelivered by hand already, nor does while it runs', async () => {
    const recipient = await newRecipient(scene);
    const missed = await recipient.miss(4);
    const [, second, , fourth] = await recipient.log();
    const { accountId } = recipient;
    const byHand = (deliveryId: string) =>
      redeliver(scene.records.context, { accountId, deliveryId });
    await recipient.finished(await byHand(second!.id));
    expect(await waiting(recipient)).toBe(3);

    const held = holding(200);
    recipient.answer = held.answer;
    const replay = await recipient.replay();
    expect(replay.total).toBe(3);
    await gotRequests(recipient.hook, 2);
    await byHand(fourth!.id);
    await gotRequests(recipient.hook, 3);
    held.release();
    expect(await recipient.ended(replay.id)).toMatchObject({ state: 'done', total: 3, made: 2 });
    const log = await recipient.settled();
    expect(log).toHaveLength(8);
    expect(recipient.received().toSorted()).toEqual(missed.toSorted());
  });

  it('what fails again waits again, and a later replay sends it, each event once', async () => {
    const recipient = await newRecipient(scene, status(500));
    const missed = await recipient.miss(3);
    expect(await replayed(recipient)).toMatchObject({ state: 'done', total: 3, made: 3 });
    await recipient.settled();
    expect(await waiting(recipient)).toBe(3);
    recipient.answer = status(200);
    const again = await replayed(recipient);
    expect(again).toMatchObject({ state: 'done', total: 3, made: 3, came: missed });
    const log = await recipient.log();
    expect(log.slice(6).map(({ redeliveryOf }) => redeliveryOf)).toEqual(
      log.slice(3, 6).map(({ id }) => id),
    );
    expect(await waiting(recipient)).toBe(0);
  });

  it('by time: from `since` on, microseconds included, and before `until`', async () => {
    const recipient = await newRecipient(scene);
    const missed = await recipient.miss(5);
    const times = (await recipient.log()).map(({ eventAt }) => eventAt);
    const middle = await replayed(recipient, { since: times[1]!, until: times[3]! });
    expect(middle).toMatchObject({ total: 2, came: missed.slice(1, 3) });
    expect(middle).toMatchObject({ since: times[1], until: times[3] });
    // The same moment in words of another time zone.
    const zoned = times[4]!.replace('Z', '+00:00');
    expect(await replayed(recipient, { since: zoned })).toMatchObject({ came: missed.slice(4) });
    expect(await replayed(recipient)).toMatchObject({ came: [missed[0], missed[3]] });
  });

  it('by state, delivered ones too when they are asked for: each once', async () => {
    const recipient = await newRecipient(scene);
    const delivered = await recipient.move(2);
    await recipient.settled();
    const failed = await fail(recipient, 1);
    const skipped = await recipient.miss(1);
    const only = (...states: string[]) => replayed(recipient, { states });
    expect(await only('delivered')).toMatchObject({ total: 2, came: delivered });
    expect(await only('skipped')).toMatchObject({ total: 1, came: skipped });
    expect(await only('failed')).toMatchObject({ total: 1, came: failed });
    const every = [...delivered, ...failed, ...skipped];
    expect(await only('failed', 'skipped', 'delivered')).toMatchObject({ came: every });
  });

  it.each([
    [{ states: ['pending'] }, 'states.0', 'failed, skipped, delivered'],
    [{ states: [] }, 'states', 'at least one'],
    [{ since: 'yesterday' }, 'since', '2026-01-31T16:00:00Z'],
    [{ until: '2026-1-31' }, 'until', '2026-01-31T16:00:00Z'],
    [{ since: '0000-01-01T00:00:00Z' }, 'since', '2026-01-31T16:00:00Z'],
    [{ until: '2026-01-31T16:00:00+23:00' }, 'until', '2026-01-31T16:00:00Z'],
  ])('%j is a bad request that names the field and what is allowed', async (input, field, told) => {
    const recipient = await newRecipient(scene);
    const refused = await recipient.replay(input).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: 'bad_request', field });
    expect((refused as Error).message).toContain(told);
    expect(await listReplays(scene.records.db, recipient.which)).toEqual([]);
  });
});

describe('one replay of an endpoint at a time', () => {
  it('a second one while it runs is a conflict, also when both are asked for at once', async () => {
    const recipient = await newRecipient(scene);
    await recipient.miss(2);
    const held = holding(200);
    recipient.answer = held.answer;
    const all = await Promise.allSettled(Array.from({ length: 4 }, () => recipient.replay()));
    expect(all.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    for (const one of all) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    }
    await gotRequests(recipient.hook, 1);
    await expect(recipient.replay()).rejects.toMatchObject({ code: 'conflict' });
    const other = await newRecipient(scene);
    expect(await replayed(other)).toMatchObject({ state: 'done' });
    held.release();
    const [replay] = await listReplays(scene.records.db, recipient.which);
    expect(await recipient.ended(replay!.id)).toMatchObject({ made: 2 });
    expect(recipient.mostOpen).toBe(1);
  });
});

it('three hundred failed and skipped ones, interleaved: each once, in order, one at a time', async () => {
  const recipient = await newRecipient(scene);
  const missed: string[] = [];
  for (let block = 0; block < 6; block += 1) {
    missed.push(...(await fail(recipient, 25)), ...(await recipient.miss(25)));
  }
  expect(await waiting(recipient)).toBe(300);
  const replay = await replayed(recipient);
  expect(replay).toMatchObject({ state: 'done', total: 300, made: 300 });
  expect(replay.came).toEqual(missed);
  expect(recipient.mostOpen).toBe(1);
  expect(await waiting(recipient)).toBe(0);
  const log = await recipient.settled();
  expect(log).toHaveLength(600);
  expect(log.slice(300).map(({ eventId }) => eventId)).toEqual(missed);
}, 180_000);
