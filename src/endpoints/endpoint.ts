import { and, eq, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import { endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { EndpointState } from '../domain/delivery.ts';
import type { PauseReason } from '../domain/health.ts';
import { EVENT_TYPES, type EventType } from '../events/catalogue.ts';
import { notFound } from '../errors.ts';
import { isOneLine, ONE_LINE } from '../one-line.ts';

/** An endpoint as its owner sees it; the secret is revealed by its own function only. */
export interface Endpoint {
  id: string;
  accountId: string;
  url: string;
  description: string;
  eventTypes: string[];
  state: EndpointState;
  /** By hand, or because every delivery failed; null unless it is paused. */
  pauseReason: PauseReason | null;
  pausedAt: string | null;
  /** Since when every delivery has failed. */
  failingSince: string | null;
  /** Whether a rotation has prepared a next secret. */
  secretPrepared: boolean;
  createdAt: string;
  updatedAt: string;
}

/** The columns of an {@link Endpoint}. */
export const endpointColumns = {
  id: endpoints.id,
  accountId: endpoints.accountId,
  url: endpoints.url,
  description: endpoints.description,
  eventTypes: endpoints.eventTypes,
  state: endpoints.state,
  pauseReason: endpoints.pauseReason,
  pausedAt: endpoints.pausedAt,
  failingSince: endpoints.failingSince,
  secretPrepared: sql<boolean>`${endpoints.sealedNextSecret} is not null`,
  createdAt: endpoints.createdAt,
  updatedAt: endpoints.updatedAt,
};

/** What the verbs of this folder work with. */
export interface EndpointContext {
  db: Db;
  secretKey: Buffer;
  /** Who does it, for the audit log. */
  actor: string;
  /** Answers the URL in its normal form, or throws `bad_request` for one that may not be sent to. */
  checkUrl: (raw: string) => Promise<URL>;
}

/** Event types to subscribe to: one or more of the catalogue, each once. */
export const eventTypeList = z
  .array(z.enum(EVENT_TYPES, { error: `must be among ${EVENT_TYPES.join(', ')}` }))
  .min(1, 'must name at least one event type')
  .transform((types): EventType[] => [...new Set(types)]);

/** One line: no control characters, and none that turn the direction of what follows. */
export const endpointDescription = z
  .string()
  .trim()
  .max(200, 'must have 200 characters at most')
  .refine(isOneLine, ONE_LINE);

/** One endpoint of one account. */
export interface WhichEndpoint {
  accountId: string;
  endpointId: string;
}

/** Selects one endpoint of an account that has not been deleted. */
export function liveEndpoint({ accountId, endpointId }: WhichEndpoint) {
  return and(
    eq(endpoints.accountId, accountId),
    eq(endpoints.id, endpointId),
    ne(endpoints.state, 'deleted'),
  );
}

/** What a query or a change has found; nothing means that there is no such endpoint. */
export function requireFound<Found>(found: Found | undefined): Found {
  if (found === undefined) throw notFound('endpoint');
  return found;
}
