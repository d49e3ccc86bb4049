import type { Account } from '../accounts/accounts.ts';
import type { EndpointContext } from '../endpoints/endpoint.ts';
import { readSecrets } from '../endpoints/read-endpoints.ts';
import { seedDemoAccounts } from './accounts.ts';
import { seedDemoEndpoint } from './endpoint.ts';
import { SUGGESTED_PARCEL } from './first-parcels.ts';
import { loadDemoParcels } from './load-parcels.ts';

export interface DemoSeed {
  /** The account whose endpoint is the receiver's; it has the largest plan. */
  account: Account;
  endpointId: string;
  secret: string;
  parcelId: string;
}

/**
 * Makes sure that there are two counties of parcels, an account of each plan and an endpoint at the
 * receiver. It may run at every start: what is there is kept, and the endpoint follows the receiver's
 * port. Loading the parcels takes some seconds, of which `progress` tells.
 */
export async function seedDemo(
  context: EndpointContext,
  receiverUrl: string,
  options: {
    progress?: ((message: string) => void) | undefined;
    /** Whether the endpoint is made anew, in place of the one that is there. */
    freshEndpoint?: boolean | undefined;
  } = {},
): Promise<DemoSeed> {
  await loadDemoParcels(context.db, options.progress);
  const [account] = await seedDemoAccounts(context.db);
  const endpointId = await seedDemoEndpoint(context, account.id, `${receiverUrl}/hooks`, {
    fresh: options.freshEndpoint ?? false,
  });
  const { secret } = await readSecrets(context, { accountId: account.id, endpointId });
  return { account, endpointId, secret, parcelId: SUGGESTED_PARCEL };
}
