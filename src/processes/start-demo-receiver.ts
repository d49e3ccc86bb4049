import { DEFAULT_RECEIVER_PORT, type Config } from '../config.ts';
import { startReceiver, type Receipt } from '../demo/receiver/receiver.ts';
import { readSecretsAt } from '../endpoints/read-endpoints.ts';
import { seedDemo, type DemoSeed } from '../demo/seed.ts';
import { findFreePort } from '../engine/free-port.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Stack } from '../stack.ts';

/** The demo account, with an endpoint at a receiver that runs here. */
export interface Demo extends DemoSeed {
  receiverUrl: string;
}

export interface DemoOptions {
  /** Told of each request that the receiver got, before it answers. */
  onReceipt: (receipt: Receipt) => void;
  /** Whether the endpoint is made anew, with an empty log, in place of that of earlier runs. */
  freshEndpoint?: boolean;
}

/**
 * Starts the demo receiver and makes sure that there is a demo account which sends to it. The context
 * is asked for with the origins that may be sent to on this machine, the receiver's among them.
 */
export async function startDemoReceiver(
  config: Config,
  opened: Stack,
  options: DemoOptions & { progress: (line: string) => void },
  contextFor: (devOrigins: string[]) => ServiceContext,
): Promise<Demo> {
  // Known only once there is an address that endpoints can be at.
  let secrets = (): Promise<string[]> => Promise.resolve([]);
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: config.receiverPort ?? (await findFreePort(DEFAULT_RECEIVER_PORT)),
    secrets: () => secrets(),
    onReceipt: options.onReceipt,
  });
  opened.push(receiver.close);
  const devOrigins = [...config.devEndpointOrigins, receiver.url];
  const context = contextFor(devOrigins);
  const { progress, freshEndpoint } = options;
  const seed = await seedDemo(context, receiver.url, { progress, freshEndpoint });
  // Of whoever sends here; and as a receiver does that has been told of a rotation, either is good.
  secrets = () => readSecretsAt(context, receiver.url);
  return { ...seed, receiverUrl: receiver.url };
}
