import { and, asc, eq, ne, sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import { unavailable } from '../errors.ts';
import { countWaiting } from '../redelivery/count-waiting.ts';
import { openSecret, SealedSecretError } from '../webhooks/sealed-secret.ts';
import { auditEndpoint } from './change-endpoint.ts';
import {
  endpointColumns,
  liveEndpoint,
  requireFound,
  type Endpoint,
  type EndpointContext,
  type WhichEndpoint,
} from './endpoint.ts';

/** An account's endpoints, oldest first, without deleted ones. */
export async function listEndpoints(db: Db, accountId: string): Promise<Endpoint[]> {
  return db
    .select(endpointColumns)
    .from(endpoints)
    .where(and(eq(endpoints.accountId, accountId), ne(endpoints.state, 'deleted')))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.id));
}

/** An endpoint of the account that has not been deleted, or `not_found`. */
export async function requireEndpoint(db: Db, which: WhichEndpoint): Promise<Endpoint> {
  const [endpoint] = await db.select(endpointColumns).from(endpoints).where(liveEndpoint(which));
  return requireFound(endpoint);
}

/** An endpoint with what its owner is asked to decide: how many deliveries wait to be replayed. */
export async function showEndpoint(
  db: Db,
  which: WhichEndpoint,
): Promise<Endpoint & { waiting: number }> {
  const endpoint = await requireEndpoint(db, which);
  return { ...endpoint, waiting: await countWaiting(db, which.endpointId) };
}

/** The secrets of an endpoint: the one that is in use, and the prepared next one, if there is one. */
export interface EndpointSecrets {
  secret: string;
  nextSecret: string | null;
}

/** Shows somebody the signing secrets of an endpoint, in the clear; the audit log says who saw them. */
export async function revealSecret(
  context: EndpointContext,
  which: WhichEndpoint,
): Promise<EndpointSecrets> {
  const secrets = await readSecrets(context, which);
  await auditEndpoint(context.db, context.actor, 'endpoint.secret_revealed', which);
  return secrets;
}

/** The same for the service's own use. */
export async function readSecrets(
  { db, secretKey }: Pick<EndpointContext, 'db' | 'secretKey'>,
  which: WhichEndpoint,
): Promise<EndpointSecrets> {
  const [found] = await db
    .select({ sealed: endpoints.sealedSecret, sealedNext: endpoints.sealedNextSecret })
    .from(endpoints)
    .where(liveEndpoint(which));
  const { sealed, sealedNext } = requireFound(found);
  const { endpointId } = which;
  const secret = opened(sealed, endpointId, secretKey);
  return { secret, nextSecret: sealedNext && opened(sealedNext, endpointId, secretKey) };
}

/**
 * The secrets of all endpoints at an origin, of every account, the prepared ones among them: for a
 * receiver of the service's own, such as the demo's.
 */
export async function readSecretsAt(
  { db, secretKey }: Pick<EndpointContext, 'db' | 'secretKey'>,
  origin: string,
): Promise<string[]> {
  const found = await db
    .select({
      ...{ id: endpoints.id, sealed: endpoints.sealedSecret },
      sealedNext: endpoints.sealedNextSecret,
    })
    .from(endpoints)
    .where(
      and(ne(endpoints.state, 'deleted'), sql`starts_with(${endpoints.url}, ${`${origin}/`})`),
    );
  return found.flatMap(({ id, sealed, sealedNext }) =>
    [sealed, sealedNext].flatMap((bytes) => (bytes ? [opened(bytes, id, secretKey)] : [])),
  );
}

function opened(sealed: Buffer, endpointId: string, key: Buffer): string {
  try {
    return openSecret(sealed, endpointId, key);
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    throw unavailable(
      'The signing secret cannot be opened: SECRET_KEY is not the one that it was encrypted with.',
      error,
    );
  }
}
