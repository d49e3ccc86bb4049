import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/accounts.ts';
import { openDatabase, type Database, type Tx } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import type { Engine } from '../../src/engine/engine-options.ts';
import { EVENT_CATALOGUE } from '../../src/events/catalogue.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { startChild } from './child.ts';
import { now } from './messages.ts';

const SECRET_KEY = '0'.repeat(64);

/** This service with its worker in a process of its own, and customers that make events. */
export interface RunningService {
  database: Database;
  /** A new account with one endpoint. */
  newCustomer(url: string): Promise<BenchCustomer>;
  stop(): Promise<void>;
}

export interface BenchCustomer {
  accountId: string;
  /** Records so many events in one transaction; answers when its commit was acknowledged. */
  commitAtOnce(count: number): Promise<number>;
  /** Records so many events at an even pace; answers when each commit was acknowledged, by id. */
  commitPaced(count: number, perSecond: number): Promise<Record<string, number>>;
  /** Ends what is still under way to its endpoint. */
  leave(): Promise<void>;
}

/** Starts the service on an engine; it may send to these origins. */
export async function runService(engine: Engine, origins: string[]): Promise<RunningService> {
  await migrateDatabase(engine.databaseUrl);
  const database = openDatabase(engine.databaseUrl, { max: 10, name: 'bench' });
  const { db } = database;
  const context = {
    db,
    secretKey: Buffer.from(SECRET_KEY, 'hex'),
    actor: 'bench',
    checkUrl: (raw: string) => Promise.resolve(new URL(raw)),
  };
  const worker = startChild('../../src/main.ts', ['worker'], {
    DATABASE_URL: engine.databaseUrl,
    TEMPORAL_ADDRESS: engine.temporalAddress,
    SECRET_KEY,
    DEV_ENDPOINT_ORIGINS: origins.join(','),
    LOG_LEVEL: 'warn',
  });
  let customers = 0;
  let subject = 0;

  return {
    database,
    async newCustomer(url) {
      customers += 1;
      const email = `bench${customers}@example.com`;
      const { id: accountId } = await createAccount(db, { email, plan: 'elite' });
      const eventTypes = ['deal.status_changed'];
      const { id: endpointId } = await createEndpoint(context, { accountId, url, eventTypes });
      const record = (tx: Tx) => {
        const { sample } = EVENT_CATALOGUE['deal.status_changed'];
        subject += 1;
        return recordEvent(tx, {
          ...{ accountId, type: 'deal.status_changed', data: sample },
          subject: `deal:bench_${subject}`,
        });
      };
      return {
        accountId,
        async commitAtOnce(count) {
          await db.transaction(async (tx) => {
            for (let i = 0; i < count; i += 1) await record(tx);
          });
          return now();
        },
        async commitPaced(count, perSecond) {
          const committed: Record<string, number> = {};
          const recording: Promise<void>[] = [];
          const startedAt = now();
          for (let i = 0; i < count; i += 1) {
            await delay(Math.max(0, startedAt + (i * 1000) / perSecond - now()));
            const one = db.transaction(record).then((event) => void (committed[event.id] = now()));
            recording.push(one);
          }
          await Promise.all(recording);
          return committed;
        },
        async leave() {
          await deleteEndpoint(context, { accountId, endpointId });
        },
      };
    },
    async stop() {
      await worker.stop();
      await database.close();
    },
  };
}
