import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { inject } from 'vitest';
import {
  startDeliveryService,
  type DeliveryService,
} from '../../src/processes/delivery-service.ts';
import type { Database } from '../../src/db/client.ts';
import { mailboxDir } from '../../src/mail/mail-settings.ts';
import { createLog } from '../../src/log.ts';
import type { RelayOptions } from '../../src/relay/relay.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { TEST_KEY, testConfig } from './config.ts';
import type { TestRecords } from './records.ts';

export interface Delivering {
  service: DeliveryService;
  /** Looks at the workflows from outside, as an operator does. */
  client: Client;
  taskQueue: string;
  /** Where its mails land, unless SMTP_URL says otherwise. */
  mailboxDir: string;
  stop(): Promise<void>;
}

/** Delivers what is recorded in a test's database, through the real server, on its own task queue. */
export async function startDelivering(
  records: TestRecords,
  options: {
    /** Origins on loopback that may be sent to. */
    origins: string[];
    env?: Record<string, string>;
    relay?: Partial<RelayOptions>;
    taskQueue?: string;
    /** What the service works on instead of the test's own connections. */
    database?: Database;
  },
): Promise<Delivering> {
  const temporalAddress = inject('temporalAddress');
  const log = createLog('silent');
  installTemporalRuntime(log);
  const dataDir = await mkdtemp(join(tmpdir(), 'lead-events-test-data-'));
  const config = testConfig({
    DATA_DIR: dataDir,
    TEMPORAL_TASK_QUEUE: options.taskQueue ?? `test-${randomBytes(6).toString('hex')}`,
    DEV_ENDPOINT_ORIGINS: options.origins.join(','),
    ...options.env,
  });
  const service = await startDeliveryService({
    ...{ config, database: options.database ?? records.database, temporalAddress, log },
    secretKey: TEST_KEY,
    workflowBundle: { codePath: inject('bundlePath') },
    ...(options.relay && { relay: options.relay }),
  });
  const connection = await Connection.connect({ address: temporalAddress });
  return {
    service,
    client: new Client({ connection }),
    taskQueue: config.taskQueue,
    mailboxDir: mailboxDir(config),
    async stop() {
      await service.stop();
      await connection.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
