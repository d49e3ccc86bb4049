import {
  Client,
  Connection,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { cancelUpdate, retryNowUpdate, type DeliveryStatus } from '../../workflows/contract.ts';
import { workflowIdOf } from '../domain/workflow-id.ts';
import { conflict, errorMessage } from '../errors.ts';

const UPDATES = { retry: retryNowUpdate, cancel: cancelUpdate };

/**
 * Asks the workflow of a delivery to make its next attempt now, or to end it. What the workflow
 * refuses, with its reason, is a `conflict`; so is a delivery that no workflow works on.
 */
export async function updateDelivery(
  temporal: { address: string; namespace: string },
  delivery: Parameters<typeof workflowIdOf>[0],
  update: keyof typeof UPDATES,
): Promise<DeliveryStatus> {
  const { connectionOptions } = loadClientConnectConfig();
  const connection = await Connection.connect({ ...connectionOptions, address: temporal.address });
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    const handle = client.workflow.getHandle(workflowIdOf(delivery));
    return await handle.executeUpdate(UPDATES[update], { args: [delivery.id] });
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) throw conflict(errorMessage(error.cause));
    if (error instanceof WorkflowNotFoundError)
      throw conflict('No workflow works on this delivery.');
    throw error;
  } finally {
    await connection.close();
  }
}
