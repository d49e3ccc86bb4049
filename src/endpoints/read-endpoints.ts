import { and, asc, eq, ne } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { unavailable } from '../errors.ts';
import { openSecret, SealedSecretError } from '../webhooks/sealed-secret.ts';
import {
  endpointColumns,
  liveEndpoint,
  requireChanged,
  type Endpoint,
  type EndpointContext,
} from './endpoint.ts';

/** An account's endpoints, oldest first, without deleted ones. */
export async function listEndpoints(db: Db, accountId: string): Promise<Endpoint[]> {
  return db
    .select(endpointColumns)
    .from(endpoints)
    .where(and(eq(endpoints.accountId, accountId), ne(endpoints.state, 'deleted')))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.id));
}

/** The signing secret of an endpoint, in the clear. */
export async function revealSecret(
  { db, secretKey }: EndpointContext,
  input: { accountId: string; endpointId: string },
): Promise<string> {
  const rows = await db
    .select({ id: endpoints.id, sealed: endpoints.sealedSecret })
    .from(endpoints)
    .where(liveEndpoint(input.accountId, input.endpointId));
  const { id, sealed } = requireChanged(rows);
  try {
    return openSecret(sealed, id, secretKey);
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    throw unavailable(
      'The signing secret cannot be opened: SECRET_KEY is not the one that it was encrypted with.',
      error,
    );
  }
}
