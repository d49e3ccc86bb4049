import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DeliveryState } from '../src/domain/delivery.ts';
import type { EndpointHealth } from '../src/domain/endpoint-health.ts';
import type { HealthState } from '../src/domain/health.ts';
import type { PostcardState } from '../src/domain/postcard-state.ts';
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

/** What came of a part of a batch of skip traces. */
export interface TraceChunk {
  /** Orders of this part that are done. */
  traced: number;
  /** Orders of this part that the vendor failed; they are asked for again. */
  failed: number;
  /** The last order of this part; null when it was the last part. */
  next: string | null;
  /** Of the whole batch: paid for and not done, done, and all. */
  left: number;
  fulfilled: number;
  total: number;
}

/** Where a batch of skip traces goes on in a new history. */
export interface TraceBatchInput {
  batchId: string;
  after?: string | null;
  /** How many parts in a row had no success. */
  fruitless?: number;
}

/** How far a batch of skip traces is, as the `progress` query answers it. */
export interface TraceProgress {
  batchId: string;
  total: number;
  fulfilled: number;
  left: number;
  /** ISO 8601; null unless it waits to ask the vendor again. */
  nextAt: string | null;
}

export const traceProgressQuery = defineQuery<TraceProgress | null>('progress');

/** Where a campaign stands: what comes next, and in how many milliseconds; ids and states only. */
export interface CampaignStanding {
  state: PostcardState;
  /** `submit`: hand the cards to the vendor; a state: move there; null: nothing more comes. */
  next: 'submit' | PostcardState | null;
  waitMs: number;
  cards: number;
  /** Cards that the vendor took back. */
  rejected: number;
}

/** The same as the `state` query answers it. */
export interface CampaignStatus {
  campaignId: string;
  state: PostcardState;
  next: CampaignStanding['next'];
  /** ISO 8601; null when nothing more comes. */
  nextAt: string | null;
  cards: number;
  rejected: number;
}

/** Somebody moved the campaign: look where it stands. */
export const campaignSignal = defineSignal('campaign');

export const campaignQuery = defineQuery<CampaignStatus | null>('state');
export const rescoreQuery = defineQuery<RescoreProgress | null>('progress');
