import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { campaigns, outbox } from '../../drizzle/schema.ts';
import { PAUSE_POLICY } from '../../src/domain/health.ts';
import { postcardsWorkflowId } from '../../src/domain/workflow-id.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { showCampaign } from '../../src/postcards/read-campaigns.ts';
import { requeueOverdue } from '../../src/relay/reconcile.ts';
import { campaignQuery } from '../../workflows/contract.ts';
import { eventually } from '../support/customer.ts';
import { eventsOf } from '../support/event-log.ts';
import { historyToJson, readableText } from '../support/history.ts';
import { startScene, type Scene } from '../support/scene.ts';
import { newAddressees, newCampaign, PRIVATE_WORDS } from './mailing.ts';

/* `postcards:<campaign id>`, on the real server, at a pace for demos. */
let scene: Scene;
let accountId: string;

beforeAll(async () => {
  scene = await startScene({ POSTCARD_PRODUCTION: '1s', POSTCARD_DELIVERY: '1s' });
  accountId = (await scene.records.newAccount()).id;
});
afterAll(() => scene.close());

const handle = (id: string) => scene.delivering.client.workflow.getHandle(postcardsWorkflowId(id));
/** What it came to, once there is a workflow and it has ended. */
async function result(id: string): Promise<unknown> {
  await eventually(() =>
    handle(id)
      .describe()
      .catch(() => undefined),
  );
  return handle(id).result();
}
const statesOf = async (id: string) =>
  (await eventsOf(scene.records, accountId, 'postcard.status_changed'))
    .filter(({ data }) => data.campaign_id === id)
    .map(({ data }) => data.state);

it('sees a campaign through; every step is one event, delivered', async () => {
  const { records } = scene;
  const hook = scene.newHook();
  await records.newEndpoint(accountId, hook.url, ['postcard.status_changed']);
  const parcels = [
    ...(await newAddressees(records, 20)),
    ...(await newAddressees(records, 2, 'incomplete_address')),
  ];
  const { campaign } = await newCampaign(records, accountId, parcels);
  const { id } = campaign;
  await advanceCampaign(records.context, { accountId, campaignId: id });
  expect(await result(id)).toMatchObject({ state: 'delivered_est', cards: 22, rejected: 2 });
  expect(await statesOf(id)).toEqual(['production', 'mailed', 'delivered_est']);
  await eventually(() => hook.received.length === 3);
  const shown = await showCampaign(records.db, { accountId, campaignId: id });
  expect(shown).toMatchObject({
    ...{ byState: { delivered_est: 20, production: 2 }, dueAt: null },
    byStatus: { FULFILLED: 20, CANCELLED: 2 },
  });
  expect(await handle(id).query(campaignQuery)).toMatchObject({ next: null, nextAt: null });
  const description = await handle(id).describe();
  expect(await description.staticSummary()).toBe('a campaign of postcards');
  expect(JSON.stringify(description.searchAttributes)).toContain(accountId);

  const text = readableText(historyToJson(await handle(id).fetchHistory()));
  expect(text).toContain(id);
  expect(text).toContain('until mailed');
  for (const word of [...PRIVATE_WORDS, 'Spring', 'Owners', 'Millbrook', 'Austin', 'rowan']) {
    expect(text, word).not.toContain(word);
  }
});

it('ends when the vendor rejects every card', async () => {
  const { records } = scene;
  const parcels = await newAddressees(records, 2, 'incomplete_address');
  const { campaign } = await newCampaign(records, accountId, parcels);
  await advanceCampaign(records.context, { accountId, campaignId: campaign.id });
  expect(await result(campaign.id)).toMatchObject({ state: 'production', next: null, rejected: 2 });
  expect(await statesOf(campaign.id)).toEqual(['production']);
});

it('that was ended by mistake goes on when somebody moves the campaign', async () => {
  const { records } = scene;
  const { campaign } = await newCampaign(records, accountId, await newAddressees(records, 1));
  const { id } = campaign;
  const quick = { ...records.context, postcardPace: { productionMs: 1_000, deliveryMs: 1_000 } };
  const advance = () => advanceCampaign(quick, { accountId, campaignId: id });
  await advance();
  const submitted = async () =>
    (await showCampaign(records.db, { accountId, campaignId: id })).submittedAt !== null;
  await eventually(submitted);
  await handle(id)
    .terminate()
    .catch(() => false);
  if ((await statesOf(id)).length < 2) await advance();
  await eventually(async () => (await statesOf(id)).length === 3);
  expect(await statesOf(id)).toEqual(['production', 'mailed', 'delivered_est']);
});

it('is restarted by the reconciler when it was lost, and when it was ended too soon', async () => {
  const { records } = scene;
  const { campaign } = await newCampaign(records, accountId, await newAddressees(records, 1));
  const { id } = campaign;
  // Nobody has told Temporal: as if the task and the workflow were both lost.
  await records.db.transaction(async (tx) => {
    await advanceCampaign({ ...records.context, db: tx }, { accountId, campaignId: id });
    await tx.delete(outbox).where(eq(outbox.subjectId, id));
  });
  const late = () =>
    records.db
      .update(campaigns)
      .set({ dueAt: sql`now() - interval '2 minutes'` })
      .where(eq(campaigns.id, id));
  expect(await requeueOverdue(records.db, PAUSE_POLICY)).toBe(0);
  await late();
  await requeueOverdue(records.db, PAUSE_POLICY);
  await eventually(() =>
    handle(id)
      .query(campaignQuery)
      .catch(() => undefined),
  );
  // An operator ends it by mistake, wherever it is.
  await handle(id)
    .terminate()
    .catch(() => undefined);
  if ((await statesOf(id)).length < 3) {
    await late();
    await requeueOverdue(records.db, PAUSE_POLICY);
  }
  await eventually(async () => (await statesOf(id)).length === 3);
  expect(await statesOf(id)).toEqual(['production', 'mailed', 'delivered_est']);
});
