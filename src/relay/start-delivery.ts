import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, type DeliverEventInput } from '../../workflows/contract.ts';
import { deliveryWorkflowId } from '../domain/workflow-id.ts';
import type { deliverEvent } from '../../workflows/index.ts';
import type { ClaimedEvent } from './claim-events.ts';

/** A start that takes longer than this is given up; it must be well within the claim's lease. */
const START_DEADLINE_MS = 5_000;

/**
 * Starts the workflow that delivers an event. One that exists already is a success: the start was
 * made before, by this relay or by another. Only when the reconciler found a delivery overdue may
 * a *closed* workflow be followed by a new one, because Postgres then knows that it ended too soon.
 */
export async function startDelivery(
  client: Client,
  taskQueue: string,
  event: ClaimedEvent,
): Promise<void> {
  const input: DeliverEventInput = { eventId: event.eventId, branches: event.branches };
  const endpointIds = event.branches.map((branch) => branch.endpointId);
  const { accountId, endpointIds: endpoints, eventType, deliveryState } = SEARCH_ATTRIBUTES;
  const start = () =>
    client.workflow.start<typeof deliverEvent>('deliverEvent', {
      workflowId: deliveryWorkflowId(event.eventId),
      workflowIdReusePolicy: event.overdue ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      taskQueue,
      args: [input],
      requestEagerStart: true,
      // One account's backlog does not hold up another's.
      priority: { fairnessKey: event.accountId },
      typedSearchAttributes: new TypedSearchAttributes([
        { key: accountId, value: event.accountId },
        { key: endpoints, value: endpointIds },
        { key: eventType, value: event.type },
        { key: deliveryState, value: 'pending' },
      ]),
      staticSummary: `${event.type} to ${endpointIds.length === 1 ? '1 endpoint' : `${endpointIds.length} endpoints`}`,
    });
  try {
    await client.withDeadline(Date.now() + START_DEADLINE_MS, start);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
