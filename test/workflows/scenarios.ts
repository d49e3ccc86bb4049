import { eq } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import {
  healthWorkflowId,
  mailWorkflowId,
  postcardsWorkflowId,
  replayWorkflowId,
  skipTraceWorkflowId,
  rescoreWorkflowId,
} from '../../src/domain/workflow-id.ts';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import { startReplay } from '../../src/redelivery/start-replay.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { campaignQuery, cancelUpdate, retryNowUpdate } from '../../workflows/contract.ts';
import { newAddressees, newCampaign } from '../postcards/mailing.ts';
import { newParcels, paidBatch } from '../skip-trace/tracing.ts';
import type { beginRescore } from '../../workflows/index.ts';
import { becameHot, saveAgo } from '../rescore/parcels.ts';
import { eventually, finishedDelivery, newCustomer, type Customer } from '../support/customer.ts';
import { endpointRow, mailsAbout } from '../support/endpoint-row.ts';
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
  /** The workflow that is meant, when it is not the one that delivers the event. */
  workflowId?: string;
}

/**
 * Retries after a moment, retries that wait until they are asked for, and endpoints that are paused
 * when they have failed for four seconds.
 */
export interface Scenes {
  quick: Scene;
  patient: Scene;
  strict: Scene;
}

export async function startScenes(): Promise<Scenes> {
  return {
    quick: await startScene({
      RETRY_SCHEDULE: '50ms,50ms,50ms,50ms,50ms',
      ...{ POSTCARD_PRODUCTION: '1s', POSTCARD_DELIVERY: '1s' },
    }),
    patient: await startScene({ RETRY_SCHEDULE: '1m,5m,30m,2h,6h' }),
    strict: await startScene({ RETRY_SCHEDULE: '50ms,50ms', AUTO_PAUSE_AFTER: '4s' }),
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
  {
    name: 'ended-behind-its-back',
    async run({ patient }) {
      const happened = await begin(patient, patient.newHook(status(503)));
      await patient.waitingForRetry(happened.eventId);
      await pauseEndpoint(patient.records.context, whichOf(happened));
      return happened;
    },
  },
  {
    name: 'health-healed',
    async run({ quick }) {
      const happened = await begin(quick, quick.newHook(statuses(503, 503, 200)));
      await finishedDelivery(quick.records, happened.eventId);
      return endpointGone(happened);
    },
  },
  {
    name: 'health-warned-and-paused',
    async run({ strict }) {
      const happened = await begin(strict, strict.newHook(status(503)));
      await paused(happened);
      return endpointGone(happened);
    },
  },
  {
    name: 'mail-sent',
    async run({ strict }) {
      const happened = await begin(strict, strict.newHook(status(503)));
      await paused(happened);
      const { endpointId } = whichOf(happened);
      const mail = await eventually(async () => {
        const [first] = await mailsAbout(strict.records, endpointId);
        return first?.sentAt ? first : undefined;
      });
      return { ...happened, workflowId: mailWorkflowId(mail.id) };
    },
  },
  {
    name: 'replay-of-three',
    async run({ quick }) {
      const happened = await begin(quick, quick.newHook());
      const { context } = quick.records;
      await pauseEndpoint(context, whichOf(happened));
      for (let i = 0; i < 3; i += 1) await happened.customer.move();
      await resumeEndpoint(context, whichOf(happened));
      const { id } = await startReplay(context, whichOf(happened));
      return { ...happened, workflowId: replayWorkflowId(id) };
    },
  },
  {
    name: 'skip-trace-of-a-batch',
    async run({ quick }) {
      const happened = await begin(quick, quick.newHook());
      const { accountId } = happened.customer;
      const parcels = [
        ...(await newParcels(quick.records, 2, 'found')),
        ...(await newParcels(quick.records, 1, 'error_first')),
      ];
      const { batchId } = await paidBatch(quick.records, accountId, parcels);
      return { ...happened, workflowId: skipTraceWorkflowId(batchId) };
    },
  },
  {
    name: 'campaign-to-its-end',
    async run({ quick }) {
      const happened = await begin(quick, quick.newHook());
      const { id } = await newDraft(happened);
      return { ...happened, workflowId: postcardsWorkflowId(id) };
    },
  },
  {
    name: 'campaign-moved-by-hand',
    async run({ patient }) {
      const happened = await begin(patient, patient.newHook());
      const { id, advance } = await newDraft(happened);
      const { workflow } = patient.delivering.client;
      const workflowId = postcardsWorkflowId(id);
      const waiting = async () =>
        (await workflow.getHandle(workflowId).query(campaignQuery))?.next === 'mailed';
      await eventually(() => waiting().catch(() => false));
      await advance();
      await advance();
      return { ...happened, workflowId };
    },
  },
  {
    name: 'rescore',
    async run({ quick }) {
      const happened = await begin(quick, quick.newHook());
      const { db } = quick.records;
      const place = { county: 'maple', account_num: '2' };
      const parcelId = await saveAgo(db, 1, { ...place, ...becameHot() });
      await holdLead(db, { accountId: happened.customer.accountId, parcelId, via: 'saved' });
      const { id } = await startRescore(db);
      return { ...happened, workflowId: rescoreWorkflowId(id) };
    },
  },
  {
    name: 'rescore-begun',
    async run({ patient }) {
      const happened = await begin(patient, patient.newHook());
      const { client } = patient.delivering;
      const { workflowId } = await client.workflow.start<typeof beginRescore>('beginRescore', {
        workflowId: `rescore-weekly:${happened.eventId}`,
        taskQueue: patient.taskQueue,
      });
      return { ...happened, workflowId };
    },
  },
];

/** A campaign that has just gone into production. */
async function newDraft({ scene: { records }, customer: { accountId } }: Happened) {
  const parcels = [
    ...(await newAddressees(records, 2)),
    ...(await newAddressees(records, 1, 'incomplete_address')),
  ];
  const { campaign } = await newCampaign(records, accountId, parcels);
  const advance = () => advanceCampaign(records.context, { accountId, campaignId: campaign.id });
  await advance();
  return { id: campaign.id, advance };
}

function whichOf({ customer }: Happened) {
  return { accountId: customer.accountId, endpointId: customer.endpoints[0]!.id };
}

async function paused(happened: Happened): Promise<void> {
  const { endpointId } = whichOf(happened);
  const { records } = happened.scene;
  await eventually(async () => (await endpointRow(records, endpointId)).state === 'paused');
}

/** The health workflow, which ends with its endpoint. */
async function endpointGone(happened: Happened): Promise<Happened> {
  const which = whichOf(happened);
  await deleteEndpoint(happened.scene.records.context, which);
  return { ...happened, workflowId: healthWorkflowId(which.endpointId) };
}
