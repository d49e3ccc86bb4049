import { DEFAULT_RECEIVER_PORT, type Config } from '../config.ts';
import { receiptLine } from '../demo/receiver/receipt-line.ts';
import { startReceiver } from '../demo/receiver/receiver.ts';
import { readSecrets } from '../endpoints/read-endpoints.ts';
import { seedDemo, type DemoSeed } from '../demo/seed.ts';
import { findFreePort } from '../engine/free-port.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Stack } from '../stack.ts';

/** The demo account, with an endpoint at a receiver that runs here. */
export interface Demo extends DemoSeed {
  receiverUrl: string;
  /** The origins that may be sent to on this machine: the receiver's is now among them. */
  devOrigins: string[];
}

/** Starts the demo receiver and makes sure that there is a demo account which sends to it. */
export async function startDemoReceiver(
  config: Config,
  opened: Stack,
  show: (line: string) => void,
  contextFor: (devOrigins: string[]) => ServiceContext,
): Promise<Demo> {
  // Known only once the endpoint is there, which needs the receiver's address.
  let secrets = (): Promise<string[]> => Promise.resolve([]);
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: config.receiverPort ?? (await findFreePort(DEFAULT_RECEIVER_PORT)),
    secrets: () => secrets(),
    onReceipt: (receipt) => show(receiptLine(receipt)),
  });
  opened.push(receiver.close);
  const devOrigins = [...config.devEndpointOrigins, receiver.url];
  const context = contextFor(devOrigins);
  const seed = await seedDemo(context, receiver.url, show);
  const which = { accountId: seed.account.id, endpointId: seed.endpointId };
  secrets = async () => {
    // As a receiver does that has been told of a rotation: either is good.
    const { secret, nextSecret } = await readSecrets(context, which);
    return nextSecret === null ? [secret] : [secret, nextSecret];
  };
  return { ...seed, receiverUrl: receiver.url, devOrigins };
}
