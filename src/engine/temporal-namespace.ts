import { connect } from 'node:net';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { pollUntil } from './poll-until.ts';

const NAMESPACE = 'default';
const RETENTION_MS = 7 * 24 * 3_600_000;

/**
 * Waits until the server on 127.0.0.1:`port` answers for the namespace `default`, and has it keep
 * finished workflows for 7 days. Rejects with the signal's reason once that is aborted.
 */
export async function prepareNamespace(port: number, signal: AbortSignal): Promise<void> {
  // A gRPC channel that was refused waits a second before it tries again; a socket need not.
  await pollUntil(async () => await accepts(port), signal);
  await pollUntil(async () => await namespaceAnswers(`127.0.0.1:${port}`), signal);
}

async function accepts(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

async function namespaceAnswers(address: string): Promise<boolean> {
  const connection = Connection.lazy({ address, connectTimeout: '3s' });
  try {
    return await connection.withDeadline(Date.now() + 5_000, async () => {
      await connection.ensureConnected(); // asks GetSystemInfo
      const { workflowService } = connection;
      const found = await workflowService.describeNamespace({ namespace: NAMESPACE });
      const retention = msToTs(RETENTION_MS);
      if (!found.config?.workflowExecutionRetentionTtl?.seconds?.eq(retention.seconds ?? 0)) {
        await workflowService.updateNamespace({
          namespace: NAMESPACE,
          config: { workflowExecutionRetentionTtl: retention },
        });
      }
      return true;
    });
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
