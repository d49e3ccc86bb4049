import { createEndpoint } from '../endpoints/create-endpoint.ts';
import { deleteEndpoint } from '../endpoints/delete-endpoint.ts';
import type { EndpointContext } from '../endpoints/endpoint.ts';
import { listEndpoints } from '../endpoints/read-endpoints.ts';
import { updateEndpoint } from '../endpoints/update-endpoint.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';

const DEMO_ENDPOINT = 'Demo receiver';

/** Known by its URL, whatever it is called meanwhile; the port may be another each time. */
function isAtReceiver(url: string): boolean {
  const { hostname, pathname } = new URL(url);
  return hostname === '127.0.0.1' && pathname === '/hooks';
}

/**
 * Makes sure that the account has an endpoint at the receiver's URL; answers its id. A fresh one takes
 * the place of what was there: nothing of that one's log or of its troubles is in the way.
 */
export async function seedDemoEndpoint(
  context: EndpointContext,
  accountId: string,
  url: string,
  { fresh }: { fresh: boolean },
): Promise<string> {
  const all = await listEndpoints(context.db, accountId);
  const atReceiver = all.filter((endpoint) => isAtReceiver(endpoint.url));
  if (fresh) {
    for (const { id } of atReceiver) await deleteEndpoint(context, { accountId, endpointId: id });
  }
  const existing = fresh ? undefined : atReceiver[0];
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
