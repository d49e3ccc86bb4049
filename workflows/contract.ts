import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DeliveryState } from '../src/domain/delivery.ts';
import type { EndpointHealth } from '../src/domain/endpoint-health.ts';
import type { HealthState } from '../src/domain/health.ts';
import type { ReplayState } from '../src/domain/replay.ts';
import type { RescoreProgress } from '../src/domain/rescore.ts';

/*
 * What the outside may know of the workflows: their ids, inputs, queries and updates, and the
 * search attributes by which operators find them. Ids only: payloads, contacts and secrets stay
 * in Postgres.
 */

/** Search attributes, as they appear in the Temporal UI. */
export const SEARCH_ATTRIBUTES = {
  accountId: defineSearchAttributeKey('AccountId', SearchAttributeType.KEYWORD),
  endpointIds: defineSearchAttributeKey('EndpointIds', SearchAttributeType.KEYWORD_LIST),
  eventType: defineSearchAttributeKey('EventType', SearchAttributeType.KEYWORD),
  deliveryState: defineSearchAttributeKey('DeliveryState', SearchAttributeType.KEYWORD),
  endpointHealth: defineSearchAttributeKey('EndpointHealth', SearchAttributeType.KEYWORD),
} as const;

/** One branch of a delivery workflow: where a delivery stands when the workflow starts. */
export interface DeliveryBranch {
  deliveryId: string;
  endpointId: string;
  /** 0 unless the workflow takes up deliveries that an earlier, lost one began. */
  attemptsMade: number;
  /** How long to wait before the first attempt that this workflow makes. */
  waitMs: number;
  /** Whose turn it takes at the endpoint; the endpoint's id unless it is not to wait behind others. */
  lane?: string;
}

export interface DeliverEventInput {
  eventId: string;
  branches: DeliveryBranch[];
}

/** Where a delivery stands, as the `state` query answers it. */
export interface DeliveryStatus {
  deliveryId: string;
  endpointId: string;
  state: DeliveryState;
  attemptsMade: number;
  /** What the last attempt came to, e.g. `503` or `timeout`. */
  lastResult: string | null;
  /** ISO 8601; null unless a retry is scheduled. */
  nextAttemptAt: string | null;
}

export const stateQuery = defineQuery<DeliveryStatus[]>('state');

/** Makes the next attempt of a waiting delivery now. */
export const retryNowUpdate = defineUpdate<DeliveryStatus, [deliveryId: string]>('retryNow');

/** Ends an unfinished delivery: after the attempt under way, if there is one. */
export const cancelUpdate = defineUpdate<DeliveryStatus, [deliveryId: string]>('cancel');

/** Lets the workflow look at a delivery again, now: it was ended behind the workflow's back. */
export const recheckSignal = defineSignal<[deliveryId: string]>('recheck');

export interface EndpointHealthInput {
  endpointId: string;
  health: EndpointHealth;
  /** The episode that the owner has been warned of. */
  warnedOf: string | null;
}

/** Where an endpoint stands, as the `state` query of its health workflow answers it. */
export interface HealthStatus {
  endpointId: string;
  health: HealthState;
  version: number;
  failingSince: string | null;
  /** ISO 8601; null unless something is due. */
  warningAt: string | null;
  pauseAt: string | null;
  warned: boolean;
}

/** The endpoint has changed; an older version than the one that is known is ignored. */
export const healthSignal = defineSignal<[EndpointHealth]>('health');

export const healthQuery = defineQuery<HealthStatus>('state');

/** How far a replay is, as the `progress` query answers it. */
export interface ReplayProgress {
  state: ReplayState;
  made: number;
  total: number;
}

export const progressQuery = defineQuery<ReplayProgress | null>('progress');

export const rescoreQuery = defineQuery<RescoreProgress | null>('progress');
