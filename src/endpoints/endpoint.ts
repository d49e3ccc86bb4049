import { and, eq, ne } from 'drizzle-orm';
import { z } from 'zod';
import { endpoints } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';
import type { EndpointState } from '../domain/delivery.ts';
import { EVENT_TYPES, type EventType } from '../events/catalogue.ts';
import { notFound } from '../errors.ts';

/** An endpoint as its owner sees it; the secret is revealed by its own function only. */
export interface Endpoint {
  id: string;
  accountId: string;
  url: string;
  description: string;
  eventTypes: string[];
  state: EndpointState;
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
  createdAt: endpoints.createdAt,
  updatedAt: endpoints.updatedAt,
};

/** What the verbs of this folder work with. */
export interface EndpointContext {
  db: Db;
  secretKey: Buffer;
  /** Answers the URL in its normal form, or throws `bad_request` for one that may not be sent to. */
  checkUrl: (raw: string) => Promise<URL>;
}

/** Event types to subscribe to: one or more of the catalogue, each once. */
export const eventTypeList = z
  .array(z.enum(EVENT_TYPES, { error: `must be among ${EVENT_TYPES.join(', ')}` }))
  .min(1, 'must name at least one event type')
  .transform((types): EventType[] => [...new Set(types)]);

export const endpointDescription = z.string().trim().max(200, 'must have 200 characters at most');

/** Selects one endpoint of an account that has not been deleted. */
export function liveEndpoint(accountId: string, endpointId: string) {
  return and(
    eq(endpoints.accountId, accountId),
    eq(endpoints.id, endpointId),
    ne(endpoints.state, 'deleted'),
  );
}

/** The row that a verb has changed; none means that there is no such endpoint. */
export function requireChanged<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw notFound('endpoint');
  return row;
}
