/** The id of the workflow that delivers an event. */
export function deliveryWorkflowId(eventId: string): string {
  return `delivery:${eventId}`;
}
