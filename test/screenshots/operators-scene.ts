import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Page } from 'playwright-core';
import { createAccount } from '../../src/accounts/accounts.ts';
import { openDatabase } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import { deliveryWorkflowId, healthWorkflowId } from '../../src/domain/workflow-id.ts';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { startEngine } from '../../src/engine/start-engine.ts';
import { EVENT_TYPES } from '../../src/events/catalogue.ts';
import { createLog } from '../../src/log.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { keepDelivering } from '../../src/processes/keep-delivering.ts';
import { createServiceContext } from '../../src/service-context.ts';
import { createStack } from '../../src/stack.ts';
import { bundleWorkflows } from '../../src/temporal/bundle.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { retryNowUpdate, stateQuery } from '../../workflows/contract.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import { startTestReceiver } from '../support/receiver.ts';

/** One picture: where it is taken, and what must be on it. */
export interface Picture {
  name: string;
  path: string;
  ready: string;
  /** Of the page, in pixels, when it needs more than usual. */
  height?: number;
  prepare?: (page: Page) => Promise<void>;
}

/** A small service with something of everything that operators ask about. */
export async function startOperatorsScene(progress: (message: string) => void) {
  const stack = createStack();
  const log = createLog('silent');
  const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-screenshots-'));
  stack.push(() => rm(dataDir, { recursive: true, force: true }));
  const { cacheDir } = testConfig();
  const engine = await startEngine({ dataDir, cacheDir, progress, log });
  stack.push(() => engine.stop());
  await migrateDatabase(engine.databaseUrl);
  const database = openDatabase(engine.databaseUrl, { max: 10, name: 'screenshots' });
  stack.push(() => database.close());
  const { db } = database;
  const receiver = await startTestReceiver();
  stack.push(() => receiver.close());
  receiver.answer = ({ path }, response) =>
    void response.writeHead(path === '/crm' ? 200 : 503).end();

  const publicUrl = 'https://app.example.com';
  const config = testConfig({ DEV_ENDPOINT_ORIGINS: receiver.origin, DATA_DIR: dataDir });
  const context = createServiceContext(config, {
    ...{ db, publicUrl, secretKey: TEST_KEY, devOrigins: [receiver.origin], actor: 'cli:jo' },
  });
  installTemporalRuntime(log);
  const keeper = keepDelivering({
    ...{ config, database, log, secretKey: TEST_KEY, temporalAddress: engine.temporalAddress },
    workflowBundle: await bundleWorkflows(log),
  });
  stack.push(() => keeper.stop());
  await keeper.ready;
  const connection = await Connection.connect({ address: engine.temporalAddress });
  stack.push(() => connection.close());
  const { workflow } = new Client({ connection });

  await saveParcel(db, {
    ...{ county: 'maple', account_num: '1', address: '12 Alder Ct, Millbrook, TX 75010' },
    ...{ city: 'Millbrook', zip: '75010' },
  });
  const { id: accountId } = await createAccount(db, { email: 'jo@example.com', plan: 'elite' });
  const endpoint = async (path: string, description: string): Promise<string> => {
    const eventTypes = [...EVENT_TYPES];
    const url = receiver.origin + path;
    return (await createEndpoint(context, { accountId, url, eventTypes, description })).id;
  };
  await endpoint('/crm', 'CRM');
  const failing = await endpoint('/sheet', 'Spreadsheet');
  const paused = await endpoint('/old', 'Old automation');
  await pauseEndpoint(context, { accountId, endpointId: paused });
  for (let i = 0; i < 4; i += 1) await createDeal(context, { accountId, parcelId: 'maple:1' });

  const events = await db.query.events.findMany({ orderBy: (t, { asc }) => asc(t.createdAt) });
  const shown = deliveryWorkflowId(events[0]!.id);
  // Some attempts ahead of their time, for a timeline with something on it.
  for (let retries = 0; retries < 3; retries += 1) {
    const handle = workflow.getHandle(shown);
    const waiting = await until(async () => {
      const all = await handle.query(stateQuery).catch(() => []);
      return all.find(({ nextAttemptAt, attemptsMade }) => nextAttemptAt && attemptsMade > retries);
    });
    await handle.executeUpdate(retryNowUpdate, { args: [waiting.deliveryId] });
  }
  await until(async () => {
    const { count } = await workflow.count("DeliveryState = 'retrying'");
    return count === events.length ? count : undefined;
  });

  const list = (query: string) =>
    `/namespaces/default/workflows?query=${encodeURIComponent(query)}`;
  const pages: Picture[] = [
    {
      name: 'retrying',
      path: list(`AccountId="${accountId}" AND DeliveryState="retrying"`),
      ready: 'delivery:evt_',
    },
    {
      name: 'endpoint-health',
      path: list('EndpointHealth="failing"'),
      ready: 'health:ep_',
    },
    {
      name: 'delivery',
      path: `/namespaces/default/workflows/${encodeURIComponent(shown)}`,
      ready: 'attempt 1',
      height: 1500,
    },
    {
      name: 'current-details',
      path: `/namespaces/default/workflows/${encodeURIComponent(shown)}`,
      ready: 'attempt 1',
      height: 700,
      prepare: async (page) => {
        await page.getByText('User Metadata').click();
        await page.waitForTimeout(3_000);
      },
    },
    {
      name: 'retry-now',
      path: `/namespaces/default/workflows/${encodeURIComponent(shown)}`,
      ready: 'attempt 1',
      height: 800,
      prepare: async (page) => {
        await page.getByRole('button', { name: 'More Actions' }).click();
        await page.getByRole('menuitem', { name: 'Send an Update' }).first().click();
        await page.waitForTimeout(1_500);
      },
    },
    {
      name: 'health',
      path: `/namespaces/default/workflows/${encodeURIComponent(healthWorkflowId(failing))}`,
      ready: 'warning to the owner',
      height: 900,
    },
  ];
  return { uiUrl: engine.temporalUiUrl ?? '', pages, stop: () => stack.close() };
}

/** Asks until there is an answer. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
