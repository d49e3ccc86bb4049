import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { timeSkippingServerPath } from '../support/time-skipping-server.ts';
import type { sleepTenHours } from './fixtures/sleep-workflow.ts';
import { cacheDir } from './support.ts';

it('runs a workflow that sleeps for hours within seconds', { timeout: 600_000 }, async () => {
  const path = await timeSkippingServerPath(cacheDir);
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  onTestFinished(async () => await environment.teardown());
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: 'time',
    workflowsPath: fileURLToPath(new URL('fixtures/sleep-workflow.ts', import.meta.url)),
  });
  const slept = await worker.runUntil(async () => {
    const how = { taskQueue: 'time', workflowId: 'sleeper' };
    return await environment.client.workflow.execute<typeof sleepTenHours>('sleepTenHours', how);
  });
  expect(slept).toBeGreaterThanOrEqual(10 * 3_600_000);
});
