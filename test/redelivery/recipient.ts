import { asc, eq } from 'drizzle-orm';
import { deliveries } from '../../drizzle/schema.ts';
import { showDelivery, type LoggedDelivery } from '../../src/deliveries/list-deliveries.ts';
import { showReplay, type Replay } from '../../src/redelivery/replay.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { eventually, newCustomer } from '../support/customer.ts';
import { setEndpointState } from '../support/endpoint-state.ts';
import { status, type Answer, type Hook, type Scene } from '../support/scene.ts';

/** How long a recipient thinks, so that two requests at once would be seen to overlap. */
const THINKS_MS = 5;

/** A customer with one endpoint that notes how it is sent to. */
export async function newRecipient({ records, newHook }: Scene, answer: Answer = status(200)) {
  const hook = newHook();
  const customer = await newCustomer(records, hook.url);
  const { accountId } = customer;
  const endpoint = customer.endpoints[0]!;
  const which = { accountId, endpointId: endpoint.id };
  const { context, db } = records;
  const recipient = {
    ...{ hook, accountId, endpoint, which, answer },
    /** The most requests that were open at once. */
    mostOpen: 0,
    /** Moves the deal so many times; answers the events' ids, the first one first. */
    async move(times: number): Promise<string[]> {
      const eventIds = [];
      for (let i = 0; i < times; i += 1) eventIds.push(await customer.move());
      return eventIds;
    },
    pause: () => setEndpointState(records, { ...which, state: 'paused' }),
    resume: () => setEndpointState(records, { ...which, state: 'active' }),
    /** Events that were logged as skipped, because the endpoint was paused. */
    async miss(times: number): Promise<string[]> {
      await recipient.pause();
      const eventIds = await recipient.move(times);
      await recipient.resume();
      return eventIds;
    },
    replay: (input?: Parameters<typeof startReplay>[2]) => startReplay(context, which, input),
    /** Waits until a replay is over. */
    ended: (replayId: string): Promise<Replay> =>
      eventually(async () => {
        const replay = await showReplay(db, { accountId, replayId });
        return replay.finishedAt === null ? undefined : replay;
      }),
    /** Waits until a delivery is final. */
    finished: (deliveryId: string): Promise<LoggedDelivery> =>
      eventually(async () => {
        const delivery = await showDelivery(db, { accountId, deliveryId });
        return delivery.finishedAt === null ? undefined : delivery;
      }),
    /** Everything that was made for the endpoint, the oldest first. */
    log: () =>
      db
        .select()
        .from(deliveries)
        .where(eq(deliveries.endpointId, endpoint.id))
        .orderBy(asc(deliveries.createdAt), asc(deliveries.id)),
    /** Waits until all of that is final. */
    settled: () =>
      eventually(async () => {
        const log = await recipient.log();
        return log.every(({ finishedAt }) => finishedAt !== null) ? log : undefined;
      }),
    received: () => hook.received.map(({ headers }) => String(headers['x-svc-event-id'])),
  };
  hook.answer = (response, request) => {
    recipient.mostOpen = Math.max(recipient.mostOpen, hook.open);
    setTimeout(() => recipient.answer(response, request), THINKS_MS);
  };
  return recipient;
}

export type Recipient = Awaited<ReturnType<typeof newRecipient>>;

/** Holds answers back, from the `from`th request on, until they are let go; 200 before that. */
export function holding(code: number, from = 1): { answer: Answer; release: () => void } {
  const held: (() => void)[] = [];
  let count = 0;
  let free = false;
  return {
    answer(response) {
      count += 1;
      const reply = () => void response.writeHead(count < from ? 200 : code).end();
      if (free || count < from) reply();
      else held.push(reply);
    },
    release() {
      free = true;
      for (const reply of held.splice(0)) reply();
    },
  };
}

/** Waits until a URL has got so many requests. */
export async function gotRequests(hook: Hook, count: number): Promise<void> {
  await eventually(() => hook.received.length >= count);
}
