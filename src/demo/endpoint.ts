import { createEndpoint } from '../endpoints/create-endpoint.ts';
import type { EndpointContext } from '../endpoints/endpoint.ts';
import { listEndpoints } from '../endpoints/read-endpoints.ts';
import { updateEndpoint } from '../endpoints/update-endpoint.ts';
import { EVENT_TYPES } from '../events/catalogue.ts';

const DEMO_ENDPOINT = 'Demo receiver';

/** Makes sure that the account has an endpoint at the receiver's URL; answers its id. */
export async function seedDemoEndpoint(
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
