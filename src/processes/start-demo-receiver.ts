import { DEFAULT_RECEIVER_PORT, type Config } from '../config.ts';
import { startReceiver, type Receipt } from '../demo/receiver/receiver.ts';
import { readSecrets } from '../endpoints/read-endpoints.ts';
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
  // Known only once the endpoint is there, which needs the receiver's address.
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
  const which = { accountId: seed.account.id, endpointId: seed.endpointId };
  secrets = async () => {
    // As a receiver does that has been told of a rotation: either is good.
    const { secret, nextSecret } = await readSecrets(context, which);
    return nextSecret === null ? [secret] : [secret, nextSecret];
  };
  return { ...seed, receiverUrl: receiver.url };
}
