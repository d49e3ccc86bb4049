import { eq } from 'drizzle-orm';
import { accounts } from '../../drizzle/schema.ts';
import { createAccount, type Account } from '../accounts/accounts.ts';
import { createEndpoint } from '../endpoints/create-endpoint.ts';
import type { EndpointContext } from '../endpoints/endpoint.ts';
import { listEndpoints, readSecrets } from '../endpoints/read-endpoints.ts';
import { updateEndpoint } from '../endpoints/update-endpoint.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { saveParcel } from '../parcels/parcels.ts';

const DEMO_EMAIL = 'demo@lead-events.example';
const DEMO_ENDPOINT = 'Demo receiver';

const DEMO_PARCELS = [
  ['maple', '0100-01', '12 Alder Ct', 'Millbrook', '75010'],
  ['maple', '0100-02', '48 Birchwood Ave', 'Millbrook', '75010'],
  ['maple', '0100-03', '305 Cedar Hollow Rd', 'Fairhaven', '75022'],
  ['maple', '0100-04', '7 Dogwood Ln', 'Fairhaven', '75022'],
  ['maple', '0100-05', '1919 Elmhurst Blvd', 'Millbrook', '75011'],
] as const;

export interface DemoSeed {
  account: Account;
  endpointId: string;
  secret: string;
  parcelId: string;
}

/**
 * Makes sure that there is a demo account with a few parcels and an endpoint at the receiver. It
 * may run at every start: what is there is kept, and the endpoint follows the receiver's port.
 */
export async function seedDemo(context: EndpointContext, receiverUrl: string): Promise<DemoSeed> {
  const { db } = context;
  const [existing] = await db
    .select()
    .from(accounts)
    .where(eq(accounts.email, DEMO_EMAIL))
    .limit(1);
  const account = existing ?? (await createAccount(db, { email: DEMO_EMAIL, plan: 'elite' }));
  for (const [county, account_num, street, city, zip] of DEMO_PARCELS) {
    const address = `${street}, ${city}, TX ${zip}`;
    await saveParcel(db, { county, account_num, address, city, zip });
  }
  const endpointId = await demoEndpoint(context, account.id, `${receiverUrl}/hooks`);
  const { secret } = await readSecrets(context, { accountId: account.id, endpointId });
  return { account, endpointId, secret, parcelId: `${DEMO_PARCELS[0][0]}:${DEMO_PARCELS[0][1]}` };
}

async function demoEndpoint(
  context: EndpointContext,
  accountId: string,
  url: string,
): Promise<string> {
  const all = await listEndpoints(context.db, accountId);
  const existing = all.find((endpoint) => endpoint.description === DEMO_ENDPOINT);
  if (!existing) {
    const eventTypes = [...EVENT_TYPES];
    const created = await createEndpoint(context, {
      ...{ accountId, url, eventTypes, description: DEMO_ENDPOINT },
    });
    return created.id;
  }
  if (existing.url !== url) {
    await updateEndpoint(context, { accountId, endpointId: existing.id, url });
  }
  return existing.id;
}
