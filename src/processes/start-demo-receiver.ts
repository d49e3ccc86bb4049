import { DEFAULT_RECEIVER_PORT, type Config } from '../config.ts';
import { receiptLine } from '../demo/receiver/receipt-line.ts';
import { startReceiver } from '../demo/receiver/receiver.ts';
import { readSecretsAt } from '../endpoints/read-endpoints.ts';
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
  // Known only once there is an address that endpoints can be at.
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
  // Of whoever sends here; and as a receiver does that has been told of a rotation, either is good.
  secrets = () => readSecretsAt(context, receiver.url);
  return { ...seed, receiverUrl: receiver.url, devOrigins };
}
