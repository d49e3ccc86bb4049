import type { CommandInput } from '../commands/command.ts';
import { createNarrator, type Narrator } from '../demo/scenarios/narrator.ts';
import type { Scenario, Seen } from '../demo/scenarios/scenario.ts';
import { demoConfig, describeSettings } from '../demo/scenarios/settings.ts';
import { setStage, shortPath } from '../demo/scenarios/stage.ts';
import type { Receipt } from '../demo/receiver/receiver.ts';
import type { Running } from './run-until-signal.ts';
import { startService, type StartedService } from './start-service.ts';

/** How a demo went. */
export interface DemoOutcome {
  service: Pick<StartedService, 'apiUrl' | 'engine'>;
  steps: Narrator['steps'];
  seen: Seen;
}

export interface DemoOptions {
  scenario: Scenario;
  /** Gets the lines of the narration. */
  write: (line: string) => void;
  bold: (text: string) => string;
  /** Whether everything goes on running after the last step, to be looked at. */
  stay: boolean;
  /** Told when everything that the scenario promises was seen. */
  onSeen: (outcome: DemoOutcome) => void;
}

/** Starts the service on a directory of the demo's own and plays a scenario on it. */
export async function startDemo(
  { config: given, json, progress }: CommandInput,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<Running> {
  const { scenario, write, bold } = options;
  const config = demoConfig(given, scenario.settings);
  write(bold(`${scenario.name}: ${scenario.summary}`));
  write('');
  write(`The service runs in this process, on data of its own in ${shortPath(config.dataDir)}.`);
  write('Its receiver checks every signature with code that it shares with nobody.');
  write('Shortened here:');
  for (const line of describeSettings(scenario.settings)) write(`  ${line}`);
  write('');
  const receipts: Receipt[] = [];
  const service = await startService({
    ...{ config, json, progress, signal },
    demo: { onReceipt: (receipt) => receipts.push(receipt), freshEndpoint: true },
  });
  const ending = new AbortController();
  const played = play(AbortSignal.any([signal, ending.signal]));
  played.catch(() => undefined);
  return {
    failed: Promise.race([service.failed, onlyFailing(played)]),
    ...(!options.stay && { finished: played }),
    async stop() {
      ending.abort(new Error('the demo ends'));
      await played.catch(() => undefined);
      await service.stop();
    },
  };

  async function play(playing: AbortSignal): Promise<void> {
    const narrator = createNarrator(write, bold);
    const stage = await setStage(service, { config, narrator, signal: playing, receipts });
    const seen = await scenario.play(stage);
    options.onSeen({ service, steps: narrator.steps, seen });
  }
}

async function onlyFailing(work: Promise<void>): Promise<never> {
  await work;
  return new Promise<never>(() => undefined);
}
