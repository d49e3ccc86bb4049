import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/accounts.ts';
import { openDatabase, type Tx } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import type { Engine } from '../../src/engine/engine-options.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { startChild } from './child.ts';
import type { Contestant } from './contestant.ts';
import { now } from './messages.ts';
import { waits, type BenchReceiver } from './receiver.ts';

const SECRET_KEY = '0'.repeat(64);

/**
 * This service, whole: events recorded in Postgres, relayed, delivered by a worker in a process of
 * its own, every attempt logged. The clock starts when the commit of the event is acknowledged.
 */
export async function startService(engine: Engine, receiver: BenchReceiver): Promise<Contestant> {
  await migrateDatabase(engine.databaseUrl);
  const { db, close } = openDatabase(engine.databaseUrl, { max: 10, name: 'bench' });
  const { id: accountId } = await createAccount(db, { email: 'bench@example.com', plan: 'elite' });
  const context = {
    db,
    secretKey: Buffer.from(SECRET_KEY, 'hex'),
    actor: 'bench',
    checkUrl: (raw: string) => Promise.resolve(new URL(raw)),
  };
  const url = `${receiver.url}/service`;
  await createEndpoint(context, { accountId, url, eventTypes: ['deal.status_changed'] });
  const worker = startChild('../../src/main.ts', ['worker'], {
    DATABASE_URL: engine.databaseUrl,
    TEMPORAL_ADDRESS: engine.temporalAddress,
    SECRET_KEY,
    DEV_ENDPOINT_ORIGINS: receiver.url,
    LOG_LEVEL: 'warn',
  });
  let subject = 0;

  function record(tx: Tx) {
    const { sample } = EVENT_CATALOGUE['deal.status_changed'];
    subject += 1;
    return recordEvent(tx, {
      ...{ accountId, type: 'deal.status_changed', subject: `deal:bench_${subject}`, data: sample },
    });
  }

  return {
    name: 'lead-events',
    async burst(count) {
      const arrived = receiver.collect(count);
      await db.transaction(async (tx) => {
        for (let i = 0; i < count; i += 1) await record(tx);
      });
      const startedAt = now();
      return { startedAt, arrivedAt: (await arrived).lastAt };
    },
    async paced(count, perSecond) {
      const arrived = receiver.collect(count);
      const committed: Record<string, number> = {};
      const recording: Promise<void>[] = [];
      const startedAt = now();
      for (let i = 0; i < count; i += 1) {
        await delay(Math.max(0, startedAt + (i * 1000) / perSecond - now()));
        const one = db.transaction(record).then((event) => void (committed[event.id] = now()));
        recording.push(one);
      }
      await Promise.all(recording);
      return waits(committed, (await arrived).arrivals);
    },
    async stop() {
      await worker.stop();
      await close();
    },
  };
}
