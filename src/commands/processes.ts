import { runUntilSignal, type Running } from '../processes/run-until-signal.ts';
import type { Command, CommandInput } from './command.ts';

/*
 * The commands that run until they are stopped. What they run is loaded only then: the Temporal
 * worker alone takes a second to load, which the other commands need not wait for.
 */
type Start = (input: CommandInput, signal: AbortSignal) => Promise<Running>;

function processCommand(name: string, summary: string, load: () => Promise<Start>): Command {
  return {
    name,
    summary,
    async run(input) {
      const start = await load();
      await runUntilSignal((signal) => start(input, signal), input.progress);
      return undefined;
    },
  };
}

export const start = processCommand(
  'start',
  'run everything: databases, worker, API and a demo receiver',
  async () => (await import('../processes/start-all.ts')).startAll,
);

export const api = processCommand(
  'api',
  'run only the HTTP server (needs DATABASE_URL)',
  async () => (await import('../processes/start-api.ts')).startApi,
);

export const worker = processCommand(
  'worker',
  'run only a worker with its relay (needs DATABASE_URL and TEMPORAL_ADDRESS)',
  async () => (await import('../processes/start-worker.ts')).startWorker,
);
