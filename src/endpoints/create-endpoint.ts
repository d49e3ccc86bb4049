import { and, count, eq, ne } from 'drizzle-orm';
import { z } from 'zod';
import { accounts, endpoints } from '../../drizzle/schema.ts';
import { requireAccount } from '../accounts/accounts.ts';
import { conflict } from '../errors.ts';
import { enqueueHealth } from '../health/enqueue-health.ts';
import { newId } from '../ids.ts';
import { parseInput } from '../input.ts';
import { shownUrl } from '../webhooks/shown-url.ts';
import { sealSecret } from '../webhooks/sealed-secret.ts';
import { generateSigningSecret } from '../webhooks/signing-secret.ts';
import { auditEndpoint } from './change-endpoint.ts';
import {
  endpointColumns,
  endpointDescription,
  eventTypeList,
  requireFound,
  type Endpoint,
  type EndpointContext,
} from './endpoint.ts';

/** An event's workflow has a branch for each endpoint; this keeps its history small. */
export const MAX_ENDPOINTS = 50;

const newEndpoint = z.strictObject({
  description: endpointDescription.default(''),
  event_types: eventTypeList,
});

/**
 * Creates an endpoint and answers it with its signing secret. The URL must be https and public
 * (spec §6.2); what the sender would refuse later is refused here. Fields at fault are named.
 */
export async function createEndpoint(
  { db, secretKey, actor, checkUrl }: EndpointContext,
  input: { accountId: string; url: string; eventTypes: string[]; description?: string | undefined },
): Promise<Endpoint & { secret: string }> {
  const fields = parseInput(newEndpoint, {
    event_types: input.eventTypes,
    description: input.description,
  });
  const url = await checkUrl(input.url);
  const secret = generateSigningSecret();
  const id = newId('endpoint');
  return db.transaction(async (tx) => {
    await requireAccount(tx, input.accountId);
    // Creations of one account take turns, so that two at once cannot pass the limit.
    await tx.select().from(accounts).where(eq(accounts.id, input.accountId)).for('update');
    const [live] = await tx
      .select({ count: count() })
      .from(endpoints)
      .where(and(eq(endpoints.accountId, input.accountId), ne(endpoints.state, 'deleted')));
    if (live && live.count >= MAX_ENDPOINTS) {
      throw conflict(`An account has ${MAX_ENDPOINTS} endpoints at most; delete one first.`);
    }
    const [endpoint] = await tx
      .insert(endpoints)
      .values({
        id,
        accountId: input.accountId,
        url: url.href,
        description: fields.description,
        eventTypes: fields.event_types,
        sealedSecret: sealSecret(secret, id, secretKey),
      })
      .returning(endpointColumns);
    const { accountId } = input;
    const which = { accountId, endpointId: id };
    await auditEndpoint(tx, actor, 'endpoint.created', which, {
      ...{ url: shownUrl(url), event_types: fields.event_types },
    });
    await enqueueHealth(tx, which);
    return { ...requireFound(endpoint), secret };
  });
}
