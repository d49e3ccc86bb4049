import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { deliverMail } = proxyActivities<Activities>({
  startToCloseTimeout: '2m',
  // For as long as the mail server is away.
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '10m' },
});

/** Sends one mail, however long the mail server is away; nothing else waits for it. */
export async function sendMail(input: { mailId: string }): Promise<void> {
  await deliverMail.executeWithOptions({ summary: 'mail to the account owner' }, [input]);
}
