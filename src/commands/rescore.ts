import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/client.ts';
import { describeProgress } from '../domain/rescore.ts';
import { rescoreWorkflowId } from '../domain/workflow-id.ts';
import { unavailable } from '../errors.ts';
import {
  listRescores,
  progressOf,
  readRescore,
  showRescore,
  type RescoreRun,
} from '../rescore/rescore-run.ts';
import { startRescore } from '../rescore/start-rescore.ts';
import type { Command } from './command.ts';
import { withService } from './context.ts';
import { createProgressLine } from './progress-line.ts';
import { listing, table } from './table.ts';

/** How often a run that is waited for is looked at. */
const LOOK_MS = 250;

export const rescoreRun: Command = {
  name: 'rescore run',
  summary: 'score all parcels anew now, and record events about what changed',
  options: { wait: { help: 'until it is finished, showing how far it is' } },
  run: (input) =>
    withService(input, async ({ db }, temporalAddress) => {
      const { databaseUrl } = input.config;
      const wait = input.options['wait'] !== undefined;
      // Workers of a database of the operator's own may be anywhere.
      if (wait && !databaseUrl && !temporalAddress) {
        throw unavailable('Nothing runs here that could do it; start the service first.');
      }
      const started = await startRescore(db);
      const run = wait ? await finished(db, started.id) : started;
      return { json: run, text: describe(run) };
    }),
};

export const rescoreList: Command = {
  name: 'rescore list',
  summary: 'show the last 20 rescores',
  run: (input) =>
    withService(input, async ({ db }) => {
      const runs = await listRescores(db);
      const rows = runs.map((run) => [
        ...[run.startedAt.slice(0, 19), run.id, run.trigger, run.state],
        ...[run.parcels, run.changed, run.events, run.heldBack, run.summaries].map(String),
      ]);
      const headings = [
        ...['started', 'run', 'trigger', 'state'],
        ...['parcels', 'changed', 'events', 'held back', 'summaries'],
      ];
      return { json: runs, text: table(headings, rows) };
    }),
};

export const rescoreShow: Command = {
  name: 'rescore show',
  summary: 'show a rescore with what it came to for each account',
  args: ['run id'],
  run: (input) =>
    withService(input, async ({ db }) => {
      const run = await showRescore(db, input.args['run id'] ?? '');
      const rows = run.accounts.map((counts) => [
        counts.accountId,
        `${counts.enteredHotSent} of ${counts.enteredHotTotal}`,
        `${counts.scoreUpdatedSent} of ${counts.scoreUpdatedTotal}`,
        String(counts.heldByCap),
        String(counts.heldByBacklog),
        counts.summarisedAt === null ? '' : 'yes',
      ]);
      const headings = ['account', 'entered hot', 'score updated', 'cap', 'backlog', 'summary'];
      return { json: run, text: `${describe(run)}\n\n${table(headings, rows)}` };
    }),
};

/** Waits until a run is finished; a person sees how far it is. */
async function finished(db: Db, runId: string): Promise<RescoreRun> {
  const line = createProgressLine();
  try {
    for (;;) {
      const run = await readRescore(db, runId);
      if (run.state === 'finished') return run;
      const fraction = run.parcels / Math.max(1, run.parcels, run.parcelsExpected);
      line.show('rescore', fraction, describeProgress(progressOf(run)));
      await delay(LOOK_MS);
    }
  } finally {
    line.clear();
  }
}

function describe(run: RescoreRun): string {
  return listing({
    run: run.id,
    state: run.state,
    trigger: run.trigger,
    'as of': run.day,
    started: run.startedAt,
    ...(run.finishedAt && { finished: run.finishedAt }),
    progress: describeProgress(progressOf(run)),
    workflow: rescoreWorkflowId(run.id),
  });
}
