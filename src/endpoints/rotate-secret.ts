import { and, isNotNull, sql } from 'drizzle-orm';
import { endpoints } from '../../drizzle/schema.ts';
import { recordAudit } from '../audit/audit-log.ts';
import { conflict } from '../errors.ts';
import { sealSecret } from '../webhooks/sealed-secret.ts';
import { generateSigningSecret } from '../webhooks/signing-secret.ts';
import {
  endpointColumns,
  liveEndpoint,
  requireChanged,
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
    const rows = await tx
      .update(endpoints)
      .set({ sealedNextSecret: sealed, updatedAt: sql`now()` })
      .where(liveEndpoint(which))
      .returning(endpointColumns);
    const endpoint = requireChanged(rows);
    await recordAudit(tx, { actor, action: 'endpoint.secret_prepared', ...subject(which) });
    return { ...endpoint, nextSecret };
  });
}

/** Signs with the prepared secret from the next attempt on; `conflict` when none is prepared. */
export async function switchSecret(
  { db, actor }: EndpointContext,
  which: WhichEndpoint,
): Promise<Endpoint> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(endpoints)
      .set({
        sealedSecret: sql`${endpoints.sealedNextSecret}`,
        sealedNextSecret: null,
        updatedAt: sql`now()`,
      })
      .where(and(liveEndpoint(which), isNotNull(endpoints.sealedNextSecret)))
      .returning(endpointColumns);
    if (rows.length === 0) {
      await requireEndpoint(tx, which);
      throw conflict('No next secret is prepared; prepare one first, or switch now.');
    }
    await recordAudit(tx, { actor, action: 'endpoint.secret_switched', ...subject(which) });
    return requireChanged(rows);
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
    const rows = await tx
      .update(endpoints)
      .set({ sealedSecret: sealed, sealedNextSecret: null, updatedAt: sql`now()` })
      .where(liveEndpoint(which))
      .returning(endpointColumns);
    const endpoint = requireChanged(rows);
    const details = { now: true };
    await recordAudit(tx, {
      actor,
      action: 'endpoint.secret_switched',
      ...subject(which),
      details,
    });
    return { ...endpoint, secret };
  });
}

function subject({ accountId, endpointId }: WhichEndpoint) {
  return { accountId, subjectId: endpointId };
}
