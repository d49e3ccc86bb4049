import { SCENARIOS } from '../demo/scenarios/index.ts';
import { demoConfig } from '../demo/scenarios/settings.ts';
import { shortPath } from '../demo/scenarios/stage.ts';
import { unavailable } from '../errors.ts';
import type { DemoOutcome } from '../processes/start-demo.ts';
import { runUntilSignal } from '../processes/run-until-signal.ts';
import { UsageError, type Answer, type Command, type CommandInput } from './command.ts';
import { table } from './table.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'play a scenario from the action to the verified receipt; lists them without one',
  optionalArgs: ['scenario'],
  options: { stay: { help: 'keep everything running afterwards, until Ctrl-C, to look around' } },
  async run(input) {
    const name = input.args['scenario'];
    if (!name) return listScenarios();
    const scenario = SCENARIOS.find((one) => one.name === name);
    if (!scenario) {
      const names = SCENARIOS.map((one) => one.name).join(', ');
      throw new UsageError(`there is no scenario "${name}"; there are ${names}`);
    }
    const { json, progress, config } = input;
    const stay = input.options['stay'] !== undefined;
    const out = json ? process.stderr : process.stdout;
    const write = (line: string) => void out.write(`${line}\n`);
    const { startDemo } = await import('../processes/start-demo.ts');
    let outcome: DemoOutcome | undefined;
    const began = performance.now();
    const onSeen = (seen: DemoOutcome) => {
      outcome = seen;
      write(`\nSeen: ${seen.seen.text}.`);
      if (stay) write(`Temporal UI: ${seen.service.engine.temporalUiUrl}  (Ctrl-C stops it all)`);
    };
    const options = { scenario, write, bold: boldOn(out), stay, onSeen };
    await runUntilSignal((signal) => startDemo(input, options, signal), progress);
    if (!outcome) throw unavailable('The demo was stopped before everything was seen.');
    const dataDir = shortPath(demoConfig(config, scenario.settings).dataDir);
    return answer(input, outcome, { dataDir, tookMs: Math.round(performance.now() - began) });
  },
};

function listScenarios(): Answer {
  const rows = SCENARIOS.map(({ name, summary }) => [name, summary]);
  const text = `npm run demo -- <scenario>\n\n${table(['scenario', 'what is shown'], rows)}`;
  return { text, json: SCENARIOS.map(({ name, summary }) => ({ name, summary })) };
}

function answer(
  input: CommandInput,
  { service, steps, seen }: DemoOutcome,
  { dataDir, tookMs }: { dataDir: string; tookMs: number },
): Answer {
  const { apiUrl, engine } = service;
  return {
    text: `
Everything was stopped; the data is kept. To look at it in the Temporal UI (the links above work
then) and by the commands above: DATA_DIR=${dataDir} npm start, or this demo with --stay.`,
    json: {
      ...{ scenario: input.args['scenario'], data_dir: dataDir, api_url: apiUrl },
      ...{ temporal_ui_url: engine.temporalUiUrl, steps, seen: seen.json, took_ms: tookMs },
    },
  };
}

/** Bold where a terminal shows it. */
function boldOn(out: NodeJS.WriteStream): (text: string) => string {
  const dressed = out.isTTY && !process.env['NO_COLOR'];
  return (text) => (dressed ? `\x1b[1m${text}\x1b[22m` : text);
}
