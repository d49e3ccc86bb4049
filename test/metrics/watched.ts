import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createLog } from '../../src/log.ts';
import { startOperations, type Operations } from '../../src/operations/start-operations.ts';
import { keepDelivering } from '../../src/processes/keep-delivering.ts';
import { createStack } from '../../src/stack.ts';
import { installMeasuredRuntime } from '../../src/temporal/runtime.ts';
import { TEST_KEY, testConfig } from '../support/config.ts';
import type { TestRecords } from '../support/records.ts';

/** A delivery service with its operations server, put together as the processes do it. */
export interface Watched {
  operations: Operations;
  /** Resolves when it delivers. */
  ready: Promise<void>;
  /** What /readyz answers now. */
  readyz(): Promise<{ status: number; json: unknown }>;
  close(): Promise<void>;
}

/** Once in a test file, since the SDK's runtime can be installed once in a process. */
export async function startWatched(
  records: TestRecords,
  options: {
    origins: string[];
    /** Where they are reached, when not directly. */
    databaseUrl?: string;
    temporalAddress?: string;
  },
): Promise<Watched> {
  const opened = createStack();
  const log = createLog('silent');
  const operations = await startOperations(
    {
      ...{ host: '127.0.0.1', port: 0, log, databaseUrl: options.databaseUrl ?? records.url },
      sdkPort: await installMeasuredRuntime(log),
    },
    opened,
  );
  const delivering = keepDelivering({
    config: testConfig({
      TEMPORAL_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
      DEV_ENDPOINT_ORIGINS: options.origins.join(','),
    }),
    ...{ database: records.database, log, secretKey: TEST_KEY },
    temporalAddress: options.temporalAddress ?? inject('temporalAddress'),
    workflowBundle: { codePath: inject('bundlePath') },
    observe: operations.observe,
  });
  operations.watch(delivering);
  opened.push(delivering.stop);
  return {
    operations,
    ready: delivering.ready,
    async readyz() {
      const response = await fetch(`${operations.url}/readyz`);
      return { status: response.status, json: await response.json() };
    },
    close: opened.close,
  };
}
