import { createAccount, type Account } from '../../src/accounts/accounts.ts';
import { openDatabase, type Database, type Db } from '../../src/db/client.ts';
import { createDeal } from '../../src/deals/create-deal.ts';
import type { Deal } from '../../src/deals/deal-data.ts';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import { EVENT_TYPES, type EventType } from '../../src/events/catalogue.ts';
import { saveParcel } from '../../src/parcels/parcels.ts';
import { createServiceContext, type ServiceContext } from '../../src/service-context.ts';
import { createTestDatabase } from './database.ts';
import { TEST_KEY, testConfig } from './config.ts';

export const TEST_PARCEL = 'maple:1';

/** A database of one test file, with what the verbs need and a few records to begin with. */
export interface TestRecords {
  url: string;
  database: Database;
  db: Db;
  context: ServiceContext;
  newAccount(): Promise<Account>;
  /** An endpoint at this URL; the guard is not asked, since tests listen on loopback. */
  newEndpoint(
    accountId: string,
    url: string,
    types?: EventType[],
  ): Promise<{ id: string; secret: string }>;
  newDeal(accountId: string): Promise<Deal>;
  close(): Promise<void>;
}

export async function createTestRecords(): Promise<TestRecords> {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { max: 10, name: 'test' });
  const { db } = database;
  const context = createServiceContext(testConfig(), {
    db,
    secretKey: TEST_KEY,
    actor: 'test',
    publicUrl: 'https://app.example.com',
    devOrigins: [],
  });
  const unguarded = { ...context, checkUrl: (raw: string) => Promise.resolve(new URL(raw)) };
  await saveParcel(db, {
    ...{ county: 'maple', account_num: '1', address: '12 Alder Ct, Millbrook, TX 75010' },
    ...{ city: 'Millbrook', zip: '75010' },
  });
  let accounts = 0;
  return {
    ...{ url, database, db, context },
    newAccount: () =>
      createAccount(db, { email: `owner${(accounts += 1)}@example.com`, plan: 'elite' }),
    newEndpoint: (accountId, endpointUrl, eventTypes = [...EVENT_TYPES]) =>
      createEndpoint(unguarded, { accountId, url: endpointUrl, eventTypes }),
    newDeal: (accountId) => createDeal(context, { accountId, parcelId: TEST_PARCEL }),
    async close() {
      await database.close();
      await drop();
    },
  };
}
