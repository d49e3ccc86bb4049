import { afterAll, beforeAll, expect, test } from 'vitest';
import { rescoreWorkflowId } from '../../src/domain/workflow-id.ts';
import { createFarm } from '../../src/farms/create-farm.ts';
import { holdLead } from '../../src/leads/hold-lead.ts';
import { watchCounty } from '../../src/leads/watch-county.ts';
import { createList } from '../../src/lists/create-list.ts';
import { showRescore } from '../../src/rescore/rescore-run.ts';
import { startRescore } from '../../src/rescore/start-rescore.ts';
import { rescoreQuery } from '../../workflows/contract.ts';
import { eventually } from '../support/customer.ts';
import { startScene, type Scene } from '../support/scene.ts';
import { becameHot, saveAgo } from './parcels.ts';

let scene: Scene;
beforeAll(async () => void (scene = await startScene()));
afterAll(() => scene.close());

const CORNERS = [
  { lng: -97, lat: 33 },
  { lng: -96, lat: 33 },
  { lng: -96, lat: 34 },
  { lng: -97, lat: 34 },
];

test('asked for, it runs by itself: what time changed is scored, recorded and delivered', async () => {
  const { db } = scene.records;
  const hook = scene.newHook();
  const { id: accountId } = await scene.records.newAccount();
  await scene.records.newEndpoint(accountId, hook.url);
  const place = { county: 'elm', account_num: '1', lng: -96.5, lat: 33.5 };
  const parcelId = await saveAgo(db, 1, { ...place, ...becameHot() });
  const list = await createList(db, { accountId, name: 'Call', parcelIds: [parcelId] });
  const farm = await createFarm(db, { accountId, name: 'North', corners: CORNERS });
  await watchCounty(db, { accountId, county: 'elm' });
  await holdLead(db, { accountId, parcelId, via: 'saved' });
  await holdLead(db, { accountId, parcelId, via: 'purchased' });

  const { id: runId } = await startRescore(db);
  const handle = scene.delivering.client.workflow.getHandle(rescoreWorkflowId(runId));
  await eventually(() => handle.describe().catch(() => undefined));
  const progress = await handle.result();
  expect(await handle.query(rescoreQuery)).toEqual(progress);
  const counts = { changed: 1, events: 2, heldBack: 0, summaries: 0 };
  expect(progress).toMatchObject({ state: 'finished', parcels: 2, parcelsExpected: 2, ...counts });
  expect(await showRescore(db, runId)).toMatchObject({
    ...{ state: 'finished', ...counts },
    accounts: [{ accountId, enteredHotSent: 1, enteredHotTotal: 1, scoreUpdatedSent: 1 }],
  });

  await eventually(() => hook.received.length === 2);
  const bodies = hook.received.map(
    ({ body }) => JSON.parse(body.toString()) as { type: string; data: Record<string, unknown> },
  );
  const dataOf = (type: string) => bodies.find((body) => body.type === type)?.data;
  const change = {
    ...{ parcel_id: parcelId, score: 85, tier: 'hot' },
    ...{ previous_score: 75, previous_tier: 'warm', rescore_run_id: runId },
  };
  expect(dataOf('lead.entered_hot')).toMatchObject({
    ...change,
    sources: [
      { kind: 'list', id: list.id, name: 'Call' },
      { kind: 'farm', id: farm.id, name: 'North' },
      { kind: 'county', id: 'elm', name: 'elm' },
    ],
  });
  expect(dataOf('lead.score_updated')).toMatchObject({
    ...change,
    held_via: ['purchased', 'saved'],
  });
});
