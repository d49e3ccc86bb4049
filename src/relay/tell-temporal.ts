import {
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
  type SearchAttributePair,
} from '@temporalio/common';
import { WorkflowNotFoundError, type Client, type WorkflowStartOptions } from '@temporalio/client';
import { endpointHealthOf } from '../domain/endpoint-health.ts';
import { NO_ACCOUNT } from '../domain/outbox-task.ts';
import { healthState, type PausePolicy } from '../domain/health.ts';
import { workflowIdOf } from '../domain/workflow-id.ts';
import {
  campaignSignal,
  healthSignal,
  recheckSignal,
  SEARCH_ATTRIBUTES,
  type DeliveryBranch,
} from '../../workflows/contract.ts';
import type {
  deliverEvent,
  endpointHealth,
  replayDeliveries,
  rescoreParcels,
  sendMail,
  sendPostcards,
  traceBatch,
} from '../../workflows/index.ts';
import type { ClaimedTask } from './claim-tasks.ts';

/** A call that takes longer than this is given up; it must be well within the claim's lease. */
const DEADLINE_MS = 5_000;

/** What Temporal is spoken to with. */
export interface Teller {
  client: Client;
  taskQueue: string;
  pausePolicy: PausePolicy;
}

/**
 * Tells Temporal one thing. A workflow that exists already is a success: it was started before, by
 * this relay or by another.
 */
export async function tellTemporal(teller: Teller, task: ClaimedTask): Promise<void> {
  try {
    await teller.client.withDeadline(Date.now() + DEADLINE_MS, () => tell(teller, task));
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function tell(teller: Teller, task: ClaimedTask): Promise<void> {
  const { workflow } = teller.client;
  switch (task.task) {
    case 'event':
    case 'delivery':
      return startDelivery(teller, task);
    case 'wake':
      return recheck(teller, task);
    case 'health':
      return signalHealth(teller, task);
    case 'replay':
      await workflow.start<typeof replayDeliveries>('replayDeliveries', {
        ...startOptions(teller, task),
        args: [{ replayId: task.subjectId }],
        staticSummary: 'redelivers what an endpoint did not get',
      });
      return;
    case 'mail':
      await workflow.start<typeof sendMail>('sendMail', {
        ...startOptions(teller, task),
        args: [{ mailId: task.subjectId }],
        staticSummary: 'a mail to the account owner',
      });
      return;
    case 'skip_trace':
      await workflow.start<typeof traceBatch>('traceBatch', {
        ...startOptions(teller, task),
        args: [{ batchId: task.subjectId }],
        staticSummary: 'skip traces of a batch of leads',
      });
      return;
    case 'postcards':
      return tellCampaign(teller, task);
    case 'rescore':
      await workflow.start<typeof rescoreParcels>('rescoreParcels', {
        ...startOptions(teller, task),
        args: [{ runId: task.subjectId }],
        staticSummary: 'scores all parcels anew',
      });
      return;
  }
}

/** Starts the workflow that delivers an event, or a single delivery that was asked for. */
async function startDelivery(teller: Teller, task: ClaimedTask): Promise<void> {
  const [first] = task.branches;
  // Finished meanwhile.
  if (!first) return;
  const endpointIds = task.branches.map((branch) => branch.endpointId);
  const to = endpointIds.length === 1 ? '1 endpoint' : `${endpointIds.length} endpoints`;
  await teller.client.workflow.start<typeof deliverEvent>('deliverEvent', {
    ...startOptions(teller, task, [
      { key: SEARCH_ATTRIBUTES.endpointIds, value: endpointIds },
      { key: SEARCH_ATTRIBUTES.eventType, value: first.eventType },
      { key: SEARCH_ATTRIBUTES.deliveryState, value: 'pending' },
    ]),
    args: [{ eventId: first.eventId ?? 'a sample', branches: task.branches.map(branchOf) }],
    requestEagerStart: true,
    staticSummary: `${first.kind === 'automatic' ? '' : `${first.kind}: `}${first.eventType} to ${to}`,
  });
}

/** Histories hold what the workflow needs, and nothing else. A test does not wait behind others. */
function branchOf(branch: ClaimedTask['branches'][number]): DeliveryBranch {
  const { deliveryId, endpointId, attemptsMade, waitMs, kind } = branch;
  const lane = kind === 'test' && { lane: `test:${endpointId}` };
  return { deliveryId, endpointId, attemptsMade, waitMs, ...lane };
}

/** Lets a workflow look at a delivery that was ended behind its back. */
async function recheck({ client }: Teller, task: ClaimedTask): Promise<void> {
  const [delivery] = task.branches;
  if (!delivery) return;
  const workflowId = workflowIdOf({ ...delivery, id: delivery.deliveryId });
  try {
    await client.workflow.getHandle(workflowId).signal(recheckSignal, delivery.deliveryId);
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Tells an endpoint's health workflow how the endpoint is; starts it when there is none. */
async function signalHealth(teller: Teller, task: ClaimedTask): Promise<void> {
  if (!task.endpoint) return;
  const health = endpointHealthOf(task.endpoint, teller.pausePolicy);
  const endpointId = task.subjectId;
  await teller.client.workflow.signalWithStart<typeof endpointHealth, [typeof health]>(
    'endpointHealth',
    {
      ...commonOptions(teller, task, [
        { key: SEARCH_ATTRIBUTES.endpointIds, value: [endpointId] },
        { key: SEARCH_ATTRIBUTES.endpointHealth, value: healthState(task.endpoint) },
      ]),
      args: [{ endpointId, health, warnedOf: null }],
      signal: healthSignal,
      signalArgs: [health],
      staticSummary: `health of ${endpointId}`,
    },
  );
}

/**
 * Starts a campaign's workflow, or tells it that somebody moved the campaign; one that was ended too
 * soon is followed by a new one, which goes on from what Postgres knows. One that is only asked after,
 * because it is late, is not told: that would fill its history for as long as it is late.
 */
async function tellCampaign(teller: Teller, task: ClaimedTask): Promise<void> {
  const { workflow } = teller.client;
  const options = {
    ...commonOptions(teller, task),
    args: [{ campaignId: task.subjectId }] as [{ campaignId: string }],
    staticSummary: 'a campaign of postcards',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  };
  if (task.overdue) await workflow.start<typeof sendPostcards>('sendPostcards', options);
  else {
    await workflow.signalWithStart<typeof sendPostcards, []>('sendPostcards', {
      ...options,
      signal: campaignSignal,
    });
  }
}

/**
 * For workflows that run once. Only when the reconciler found something overdue may a *closed* one
 * be followed by a new one, because Postgres then knows that it ended too soon.
 */
function startOptions(...common: Parameters<typeof commonOptions>) {
  const [, task] = common;
  return {
    ...commonOptions(...common),
    workflowIdReusePolicy: task.overdue ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
  } satisfies Partial<WorkflowStartOptions>;
}

function commonOptions(teller: Teller, task: ClaimedTask, attributes: SearchAttributePair[] = []) {
  return {
    workflowId: task.key,
    taskQueue: teller.taskQueue,
    // One account's backlog does not hold up another's.
    priority: { fairnessKey: task.accountId },
    typedSearchAttributes: new TypedSearchAttributes([
      ...(task.accountId === NO_ACCOUNT
        ? []
        : [{ key: SEARCH_ATTRIBUTES.accountId, value: task.accountId }]),
      ...attributes,
    ]),
  } satisfies Partial<WorkflowStartOptions>;
}
