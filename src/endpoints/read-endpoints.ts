import { and, asc, eq, ne } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import type { Db } from '../db/client.ts';
import { unavailable } from '../errors.ts';
import { countWaiting } from '../redelivery/count-waiting.ts';
import { openSecret, SealedSecretError } from '../webhooks/sealed-secret.ts';
import {
  endpointColumns,
  liveEndpoint,
  requireChanged,
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
  return requireChanged(
    await db.select(endpointColumns).from(endpoints).where(liveEndpoint(which)),
  );
}

/** An endpoint with what its owner is asked to decide: how many deliveries wait to be replayed. */
export async function showEndpoint(
  db: Db,
  which: WhichEndpoint,
): Promise<Endpoint & { waiting: number }> {
  const endpoint = await requireEndpoint(db, which);
  return { ...endpoint, waiting: await countWaiting(db, which.endpointId) };
}

/** The signing secret of an endpoint, in the clear, and the prepared next one, if there is one. */
export async function revealSecret(
  { db, secretKey, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<{ secret: string; nextSecret: string | null }> {
  const rows = await db
    .select({ sealed: endpoints.sealedSecret, sealedNext: endpoints.sealedNextSecret })
    .from(endpoints)
    .where(liveEndpoint(which));
  const { sealed, sealedNext } = requireChanged(rows);
  const { accountId, endpointId } = which;
  const secret = opened(sealed, endpointId, secretKey);
  const nextSecret = sealedNext && opened(sealedNext, endpointId, secretKey);
  const subject = { accountId, subjectId: endpointId };
  await recordAudit(db, { actor, action: 'endpoint.secret_revealed', ...subject });
  return { secret, nextSecret };
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
