import { proxyActivities } from '@temporalio/workflow';

const { post } = proxyActivities<{ post(id: string): Promise<void> }>({
  startToCloseTimeout: '60s',
});

/** The least a delivery can be on this engine: one activity that POSTs. */
export async function bareDelivery(id: string): Promise<void> {
  await post(id);
}
