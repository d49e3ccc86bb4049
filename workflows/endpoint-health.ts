import {
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { EndpointHealth } from '../src/domain/endpoint-health.ts';
import { healthState } from '../src/domain/health.ts';
import { ATTEMPT_OPTIONS } from './attempt-options.ts';
import { healthQuery, healthSignal, SEARCH_ATTRIBUTES } from './contract.ts';
import type { EndpointHealthInput, HealthStatus } from './contract.ts';

/** A history of this length is followed by a new one, well before the server asks for it. */
const HISTORY_LENGTH = 500;

const { warnOwner, beginLastAttempt, pauseFailing } = proxyActivities<Activities>({
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

const { attemptDelivery } = proxyActivities<Activities>(ATTEMPT_OPTIONS);

/**
 * Follows an endpoint from its creation to its deletion. It is told of changes only (never of single
 * deliveries), and acts on deadlines: when every delivery has failed for two days the owner is
 * warned; after three, one last attempt decides whether the endpoint is paused (spec §3.5).
 *
 * Postgres decides what is true: each step is a compare-and-set on the episode, so a step that comes
 * too late, or twice, changes nothing.
 */
export async function endpointHealth(input: EndpointHealthInput): Promise<void> {
  const { endpointId } = input;
  let { health, warnedOf } = input;
  let shown: string | undefined;

  setHandler(healthSignal, adopt, { description: 'The service tells how the endpoint is.' });
  setHandler(healthQuery, status, { description: 'How the endpoint is, and what is due when.' });

  for (;;) {
    show();
    if (health.state === 'deleted') return;
    if (isLong()) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof endpointHealth>({ endpointId, health, warnedOf });
    }
    const { version, failingSince, deadlines } = health;
    const changed = () => health.version !== version || isLong();
    if (failingSince === null || deadlines === null) {
      await condition(changed);
      continue;
    }
    const warned = warnedOf === failingSince;
    const due = warned ? deadlines.pauseAt : deadlines.warnAt;
    const summary = warned ? 'last attempt, then pause' : 'warning to the owner';
    const waitMs = due - Date.now();
    // What is true when the wait is over counts, not how it ended.
    if (waitMs > 0) {
      await condition(changed, waitMs, { summary });
      if (changed() || Date.now() < due) continue;
    }
    if (warned) await tryOnceMoreThenPause(failingSince);
    else {
      if (Date.now() < deadlines.pauseAt) await warnOwner({ endpointId, failingSince });
      warnedOf = failingSince;
    }
  }

  /** Newer knowledge replaces older, whichever way it came. */
  function adopt(newer: EndpointHealth): void {
    if (newer.version > health.version) health = newer;
  }

  async function tryOnceMoreThenPause(failingSince: string): Promise<void> {
    const episode = { endpointId, failingSince };
    const { deliveryId, health: before } = await beginLastAttempt(episode);
    adopt(before);
    if (deliveryId !== null) {
      await attemptDelivery.executeWithOptions({ summary: `last attempt to ${endpointId}` }, [
        { deliveryId, endpointId, number: 1, lane: `last_attempt:${endpointId}` },
      ]);
    }
    // Unless anything has succeeded meanwhile, this attempt included.
    adopt(await pauseFailing(episode));
  }

  function isLong(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return continueAsNewSuggested || historyLength > HISTORY_LENGTH;
  }

  function status(): HealthStatus {
    const { version, failingSince, deadlines } = health;
    const warned = failingSince !== null && warnedOf === failingSince;
    return {
      ...{ endpointId, health: healthState(health), version, failingSince, warned },
      warningAt: deadlines && !warned ? new Date(deadlines.warnAt).toISOString() : null,
      pauseAt: deadlines ? new Date(deadlines.pauseAt).toISOString() : null,
    };
  }

  /** Shows operators what changed: in the workflow list and on the workflow's page. */
  function show(): void {
    const now = status();
    if (now.health !== shown) {
      shown = now.health;
      upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.endpointHealth, value: now.health }]);
    }
    setCurrentDetails(describe(now));
  }
}

function describe(status: HealthStatus): string {
  const since = status.failingSince ? `, failing since ${status.failingSince}` : '';
  const warning = status.warningAt ? `; warning at ${status.warningAt}` : '';
  const pause = status.pauseAt ? `; last attempt and pause at ${status.pauseAt}` : '';
  return `**${status.health}**${since}${warning}${pause}`;
}
