import { and, isNotNull, sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { conflict } from '../errors.ts';
import { sealSecret } from '../webhooks/sealed-secret.ts';
import { generateSigningSecret } from '../webhooks/signing-secret.ts';
import { auditEndpoint, changeEndpoint } from './change-endpoint.ts';
import {
  liveEndpoint,
  requireFound,
  type Endpoint,
  type EndpointContext,
  type WhichEndpoint,
} from './endpoint.ts';
import { requireEndpoint } from './read-endpoints.ts';

/*
 * A delivery carries exactly one signature (spec §6.3), so there is no time in which two secrets are
 * in use. Instead the next secret is prepared first, for the receiver to learn beside the present
 * one, and then switched to.
 */

/** Makes the next secret and answers it; nothing is signed with it yet. Asked again: another one. */
export async function prepareSecret(
  { db, secretKey, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint & { nextSecret: string }> {
  const nextSecret = generateSigningSecret();
  const sealed = sealSecret(nextSecret, which.endpointId, secretKey);
  return db.transaction(async (tx) => {
    const changed = await changeEndpoint(tx, liveEndpoint(which), { sealedNextSecret: sealed });
    const endpoint = requireFound(changed);
    await auditEndpoint(tx, actor, 'endpoint.secret_prepared', which);
    return { ...endpoint, nextSecret };
  });
}

/** Signs with the prepared secret from the next attempt on; `conflict` when none is prepared. */
export async function switchSecret(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint> {
  return db.transaction(async (tx) => {
    const prepared = and(liveEndpoint(which), isNotNull(endpoints.sealedNextSecret));
    const endpoint = await changeEndpoint(tx, prepared, {
      sealedSecret: sql`${endpoints.sealedNextSecret}`,
      sealedNextSecret: null,
    });
    if (!endpoint) {
      await requireEndpoint(tx, which);
      throw conflict('No next secret is prepared; prepare one first, or switch now.');
    }
    await auditEndpoint(tx, actor, 'endpoint.secret_switched', which);
    return endpoint;
  });
}

/**
 * For a secret that has leaked: a new one is in use from the next attempt on. Deliveries fail at the
 * receiver until it knows the new secret, and are retried. Answers the secret.
 */
export async function switchSecretNow(
  { db, secretKey, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint & { secret: string }> {
  const secret = generateSigningSecret();
  const sealed = sealSecret(secret, which.endpointId, secretKey);
  return db.transaction(async (tx) => {
    const changed = await changeEndpoint(tx, liveEndpoint(which), {
      ...{ sealedSecret: sealed, sealedNextSecret: null },
    });
    const endpoint = requireFound(changed);
    await auditEndpoint(tx, actor, 'endpoint.secret_switched', which, { now: true });
    return { ...endpoint, secret };
  });
}
