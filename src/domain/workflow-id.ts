import type { DeliveryKind } from './delivery.ts';

/** The id of the workflow that delivers an event to all its endpoints. */
export function deliveryWorkflowId(eventId: string): string {
  return `delivery:${eventId}`;
}

/** The id of the workflow that follows an endpoint's health, as long as the endpoint exists. */
export function healthWorkflowId(endpointId: string): string {
  return `health:${endpointId}`;
}

/** The id of the workflow that makes a replay's deliveries, one after another. */
export function replayWorkflowId(replayId: string): string {
  return `replay:${replayId}`;
}

/** The id of the workflow that sends a mail. */
export function mailWorkflowId(mailId: string): string {
  return `mail:${mailId}`;
}

/** The id of the workflow that traces the owners of a batch of orders. */
export function skipTraceWorkflowId(batchId: string): string {
  return `skiptrace:${batchId}`;
}

/** The id of the workflow that sees a campaign of postcards through. */
export function postcardsWorkflowId(campaignId: string): string {
  return `postcards:${campaignId}`;
}

/** The id of the workflow that scores all parcels anew. */
export function rescoreWorkflowId(runId: string): string {
  return `rescore:${runId}`;
}

/** The id of the workflow that works on a delivery, by what the delivery is. */
export function workflowIdOf(delivery: {
  id: string;
  kind: DeliveryKind;
  eventId: string | null;
  endpointId: string;
}): string {
  switch (delivery.kind) {
    case 'automatic':
      return deliveryWorkflowId(delivery.eventId ?? '');
    case 'last_attempt':
      return healthWorkflowId(delivery.endpointId);
    case 'redelivery':
    case 'test':
      return `${delivery.kind}:${delivery.id}`;
  }
}
