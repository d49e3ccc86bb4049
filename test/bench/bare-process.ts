import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { createLog } from '../../src/log.ts';
import { connectTemporal } from '../../src/temporal/connect.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { temporalLogger } from '../../src/temporal/logger.ts';
import { WORKER_LIMITS } from '../../src/temporal/worker.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { now, type FromBareEngine, type ToBareEngine } from './messages.ts';

/*
 * The bare engine: the same server, worker limits, shared connection, eager start and sender, but
 * no Postgres, no signature, no record. It is what a delivery costs before it is worth anything.
 */
const [address = '', receiverUrl = ''] = process.argv.slice(2);
const TASK_QUEUE = 'bare-engine';
const CONCURRENT_STARTS = 40;

const log = createLog('warn');
installTemporalRuntime(log);
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
  logger: temporalLogger(log),
});
const connection = await connectTemporal(address);
const sender = createSender({
  devOrigins: [new URL(receiverUrl).origin],
  timeoutMs: 10_000,
  userAgent: 'bare-engine',
});
const worker = await Worker.create({
  ...WORKER_LIMITS,
  connection,
  taskQueue: TASK_QUEUE,
  workflowBundle,
  activities: {
    async post(id: string) {
      const body = Buffer.from(JSON.stringify({ id, filler: 'x'.repeat(900) }));
      const result = await sender.send({
        url: receiverUrl,
        headers: { 'X-SVC-Event-Id': id },
        body,
      });
      if (!result.ok) throw new Error(result.error);
    },
  },
});
const running = worker.run();
const client = new Client({ connection });
let round = 0;

process.on('message', (message: ToBareEngine | 'stop') => {
  if (message === 'stop') worker.shutdown();
  else void deliver(message);
});
send({ kind: 'ready' });
await running;
await connection.close();
process.disconnect();

async function deliver({ count, perSecond }: ToBareEngine): Promise<void> {
  round += 1;
  const times: Record<string, number> = {};
  const firstAt = now();
  const ids = Array.from({ length: count }, (_, i) => `bare_${process.pid}_${round}_${i}`);
  if (perSecond === null) {
    const queue = ids.values();
    const lane = async (): Promise<void> => {
      for (const id of queue) await start(id, times);
    };
    await Promise.all(Array.from({ length: CONCURRENT_STARTS }, lane));
  } else {
    const started: Promise<void>[] = [];
    for (const [i, id] of ids.entries()) {
      await delay(Math.max(0, firstAt + (i * 1000) / perSecond - now()));
      started.push(start(id, times));
    }
    await Promise.all(started);
  }
  send({ kind: 'asked', times, firstAt });
}

async function start(id: string, times: Record<string, number>): Promise<void> {
  times[id] = now();
  await client.workflow.start('bareDelivery', {
    workflowId: id,
    taskQueue: TASK_QUEUE,
    args: [id],
    requestEagerStart: true,
  });
}

function send(message: FromBareEngine): void {
  process.send?.(message);
}
