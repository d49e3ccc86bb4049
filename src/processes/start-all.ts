import type { CommandInput } from '../commands/command.ts';
import { receiptLine } from '../demo/receiver/receipt-line.ts';
import type { Running } from './run-until-signal.ts';
import { startScreen } from './start-screen.ts';
import { startService } from './start-service.ts';

/** The whole service for a person at a terminal: shows where its parts are, and what arrives. */
export async function startAll(
  { config, json, progress }: CommandInput,
  signal: AbortSignal,
): Promise<Running> {
  const service = await startService({
    ...{ config, json, progress, signal },
    demo: { onReceipt: (receipt) => progress(receiptLine(receipt)) },
  });
  process.stdout.write(startScreen(json, service));
  return service;
}
