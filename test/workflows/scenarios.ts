import { eq } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { retryNowUpdate, cancelUpdate } from '../../workflows/contract.ts';
import { eventually, finishedDelivery, newCustomer, type Customer } from '../support/customer.ts';
import { startScene, status, statuses, type Hook, type Scene } from '../support/scene.ts';

/** One way in which a delivery workflow can go, from its start to its end. */
export interface Scenario {
  name: string;
  /** Lets it happen; answers the event. */
  run(scenes: Scenes): Promise<Happened>;
}

export interface Happened {
  scene: Scene;
  customer: Customer;
  hooks: Hook[];
  eventId: string;
}

/** Retries after a moment, and retries that wait until they are asked for. */
export interface Scenes {
  quick: Scene;
  patient: Scene;
}

export async function startScenes(): Promise<Scenes> {
  return {
    quick: await startScene({ RETRY_SCHEDULE: '50ms,50ms,50ms,50ms,50ms' }),
    patient: await startScene({ RETRY_SCHEDULE: '1m,5m,30m,2h,6h' }),
  };
}

async function begin(scene: Scene, ...hooks: Hook[]): Promise<Happened> {
  const customer = await newCustomer(scene.records, ...hooks.map((hook) => hook.url));
  return { scene, customer, hooks, eventId: await customer.move() };
}

export const SCENARIOS: Scenario[] = [
  {
    name: 'delivered-at-first',
    async run({ quick }) {
      return begin(quick, quick.newHook());
    },
  },
  {
    name: 'failed-after-six',
    async run({ quick }) {
      return begin(quick, quick.newHook(status(503)));
    },
  },
  {
    name: 'retry-now',
    async run({ patient }) {
      const happened = await begin(patient, patient.newHook(statuses(503, 200)));
      const { eventId } = happened;
      const { deliveryId } = await patient.waitingForRetry(eventId);
      await patient.workflowOf(eventId).executeUpdate(retryNowUpdate, { args: [deliveryId] });
      return happened;
    },
  },
  {
    name: 'cancelled',
    async run({ patient }) {
      const happened = await begin(patient, patient.newHook(status(503)));
      const { eventId } = happened;
      const { deliveryId } = await patient.waitingForRetry(eventId);
      await patient.workflowOf(eventId).executeUpdate(cancelUpdate, { args: [deliveryId] });
      return happened;
    },
  },
  {
    name: 'two-endpoints-mixed',
    async run({ quick }) {
      return begin(quick, quick.newHook(), quick.newHook(statuses(500, 404, 200)));
    },
  },
  {
    name: 'first-attempt-declined',
    async run({ patient }) {
      // The endpoint has failed before: an ordinary activity makes the first attempt.
      const hook = patient.newHook(status(503));
      const customer = await newCustomer(patient.records, hook.url);
      await patient.waitingForRetry(await customer.move());
      hook.answer = status(200);
      const eventId = await customer.move();
      await finishedDelivery(patient.records, eventId);
      return { scene: patient, customer, hooks: [hook], eventId };
    },
  },
  {
    name: 'first-attempt-broke-off',
    async run({ patient }) {
      // A fault of ours during the first attempt, which an ordinary activity takes up.
      const { db } = patient.records;
      const hook = patient.newHook();
      const customer = await newCustomer(patient.records, hook.url);
      const own = eq(endpoints.id, customer.endpoints[0]!.id);
      const [endpoint] = await db.select().from(endpoints).where(own);
      await db
        .update(endpoints)
        .set({ sealedSecret: Buffer.from('damaged') })
        .where(own);
      const eventId = await customer.move();
      await eventually(async () => {
        const { raw } = await patient.describe(eventId);
        return raw.pendingActivities?.[0]?.lastFailure;
      });
      await db.update(endpoints).set({ sealedSecret: endpoint!.sealedSecret }).where(own);
      return { scene: patient, customer, hooks: [hook], eventId };
    },
  },
];
