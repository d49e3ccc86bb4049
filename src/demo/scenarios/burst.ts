import { asc, sql } from 'drizzle-orm';
import { parcels } from '../../../drizzle/schema.ts';
import { createDeal } from '../../deals/create-deal.ts';
import { deliveriesOfEvents } from '../../deliveries/list-deliveries.ts';
import { expectSeen } from './not-seen.ts';
import { percentile } from './percentile.ts';
import { eventBody } from './received-event.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const BURST = 200;
const ALONE = 20;

/** How many are created at the same time. */
const AT_ONCE = 10;

/** Many events at once: how fast they arrive, and that none is lost or doubled. */
export const burst: Scenario = {
  name: 'burst',
  summary: `${BURST} deals at once: how many events a second, how late, none lost, none twice`,
  settings: {},
  async play(stage) {
    const { narrator } = stage;
    const chosen = await someParcels(stage);
    narrator.step(`${ALONE} deals first, one after another: nothing waits for anything else`);
    const { context, accountId } = stage;
    const alone: number[] = [];
    for (const parcelId of chosen.slice(0, ALONE)) {
      const { id } = await createDeal(context, { accountId, parcelId });
      const at = Date.now();
      const { at: arrived } = await stage.until(`the event of ${id}`, () =>
        stage.receipts.find(({ body }) => dealIdOf(body) === id),
      );
      alone.push(Math.max(0, arrived.getTime() - at));
    }
    alone.sort((a, b) => a - b);
    const single = { p50: percentile(alone, 0.5), worst: alone.at(-1) ?? 0 };
    narrator.fact(
      'delay',
      `from commit to receipt: p50 ${single.p50} ms, worst ${single.worst} ms`,
    );

    const known = stage.receipts.length;
    narrator.step(`${BURST} deals are created, ${AT_ONCE} at a time, each with its event`);
    const began = Date.now();
    const committed = await createDeals(stage, chosen.slice(ALONE));
    const committedMs = Date.now() - began;
    narrator.fact('rows', `${BURST} deals and ${BURST} events committed in ${committedMs} ms`, {
      ...{ deals: BURST, committed_ms: committedMs },
    });
    await stage.until(`${BURST} events at the receiver`, () => {
      const ids = new Set(stage.receipts.slice(known).map(({ eventId }) => eventId));
      return ids.size >= BURST ? true : undefined;
    });

    narrator.step('All have arrived; what the receiver says');
    const figures = await count(stage, known, committed, began);
    const { perSecond, p50, p99, lastMs } = figures;
    narrator.fact('receiver', `${BURST} events, each once, all signatures ok`, {
      ...{ received: figures.received, duplicates: figures.duplicates },
    });
    narrator.fact(
      'rate',
      `${perSecond} a second: the last came ${lastMs} ms after the first commit began`,
    );
    narrator.fact(
      'delay',
      `from commit to receipt: p50 ${p50} ms, p99 ${p99} ms: the queue included,`,
    );
    narrator.fact('', 'on a machine that also runs the receiver and both databases');
    narrator.fact('log', `${BURST} delivered; the last hundred on the command line:`);
    narrator.fact('', stage.cli('delivery list'));
    narrator.fact('workflow', stage.ui('').replace(/\/$/, ''));
    return {
      text: `${BURST} events recorded, ${BURST} received, none lost, none twice, every signature verified`,
      json: { events: BURST, ...figures, single },
    };
  },
};

/** One for each deal. */
async function someParcels({ context: { db } }: Stage): Promise<string[]> {
  const found = await db
    .select({ id: parcels.id })
    .from(parcels)
    .orderBy(asc(sql`md5(${parcels.id})`))
    .limit(ALONE + BURST);
  return found.map(({ id }) => id);
}

function dealIdOf(body: unknown): unknown {
  return eventBody(body).data['deal_id'];
}

/** Creates the deals; answers when each commit was acknowledged, milliseconds since the epoch. */
async function createDeals(stage: Stage, parcelIds: string[]): Promise<Map<string, number>> {
  const { context, accountId, signal } = stage;
  const committed = new Map<string, number>();
  const waiting = [...parcelIds];
  const work = async () => {
    for (let parcelId = waiting.pop(); parcelId !== undefined; parcelId = waiting.pop()) {
      signal.throwIfAborted();
      const { id } = await createDeal(context, { accountId, parcelId });
      committed.set(id, Date.now());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return committed;
}

async function count(
  stage: Stage,
  known: number,
  committed: ReadonlyMap<string, number>,
  began: number,
) {
  const { context, accountId, endpointId } = stage;
  const events = (await stage.events()).slice(-BURST);
  const eventIds = events.map(({ id }) => id);
  await stage.until(`${BURST} deliveries delivered in the log`, async () => {
    const all = await deliveriesOfEvents(context.db, { accountId, eventIds });
    const mine = all.filter((one) => one.endpointId === endpointId);
    return mine.length === BURST && mine.every(({ state }) => state === 'delivered')
      ? true
      : undefined;
  });
  // Only now: whatever came twice has come by then.
  const got = stage.receipts.slice(known);
  const ids = new Set(got.map(({ eventId }) => eventId));
  const verified = got.filter(({ verdict }) => verdict.ok).length;
  expectSeen(verified === got.length, `${got.length} good signatures (there were ${verified}).`);
  expectSeen(
    got.length === BURST && eventIds.every((id) => ids.has(id)),
    `each of the ${BURST} events exactly once (${got.length} requests with ${ids.size} events).`,
  );
  const delays = got
    .map(({ at, body }) => {
      const at0 = committed.get(String(dealIdOf(body))) ?? NaN;
      return Math.max(0, at.getTime() - at0);
    })
    .sort((a, b) => a - b);
  const lastMs = Math.max(...got.map(({ at }) => at.getTime())) - began;
  return {
    ...{ received: got.length, duplicates: got.length - ids.size, verified, lastMs },
    ...{ perSecond: Math.round(BURST / (lastMs / 1000)) },
    ...{ p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) },
  };
}
