import { z } from 'zod';
import { describeProgress } from '../../domain/rescore.ts';
import { rescoreWorkflowId } from '../../domain/workflow-id.ts';
import { progressOf, readRescore, type RescoreRun } from '../../rescore/rescore-run.ts';
import { requestRescore } from '../../rescore/start-rescore.ts';
import { expectOnce, followEvent, seconds } from './follow-event.ts';
import { bringNews, calmDown, chooseParcels, shownScore, standings } from './lead-news.ts';
import { expectSeen } from './not-seen.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const CAP = 4;

const about = z.looseObject({
  ...{ parcel_id: z.string(), score: z.number(), previous_score: z.number() },
  sources: z.array(z.object({ kind: z.string(), id: z.string(), name: z.string() })).default([]),
  held_via: z.array(z.string()).default([]),
});

const summaryData = z.looseObject({
  ...{ reason: z.string(), view_url: z.string() },
  ...{ entered_hot_total: z.number(), entered_hot_sent: z.number() },
  ...{ score_updated_total: z.number(), score_updated_sent: z.number() },
  per_source: z.array(
    z.looseObject({ kind: z.string(), name: z.string(), entered_hot: z.number() }),
  ),
});

/** News about leads, and the rescore that tells of it: of some one by one, of the rest in a summary. */
export const rescore: Scenario = {
  name: 'rescore',
  summary:
    'leads that become hot, held leads with another score, and what a cap leaves to a summary',
  settings: { rescoreCap: CAP },
  async play(stage) {
    const { narrator } = stage;
    const chosen = await chooseParcels(stage);
    narrator.step('A first rescore makes all scores known as of today');
    await calmDown(stage, chosen);
    await run(stage);

    narrator.step('News about seven leads arrives, as an import would bring it');
    await bringNews(stage, chosen);
    for (const { id, score, announced } of await standings(stage, chosen)) {
      narrator.fact(
        'lead',
        `${id}: now ${shownScore(score)}; made known was ${shownScore(announced)}`,
      );
    }
    narrator.fact('event', 'none yet: the next rescore tells');

    narrator.step('The rescore is asked for now; in earnest it runs every Monday');
    const { id: runId } = await run(stage);
    narrator.fact('by hand', stage.cli('rescore run --wait'));
    narrator.fact('', stage.cli(`rescore show ${runId}`));

    const told = await followRun(stage, runId);
    const ofType = (type: string) => told.filter((event) => event.type === type);
    const [hot, updated] = [ofType('lead.entered_hot'), ofType('lead.score_updated')];
    const [summary] = ofType('rescore.summary');
    expectSeen(hot.length === CAP, `${CAP} lead.entered_hot (there are ${hot.length}).`);
    const sources = hot.flatMap(({ data }) => about.parse(data).sources.map(({ kind }) => kind));
    for (const kind of ['county', 'list', 'farm']) {
      expectSeen(sources.includes(kind), `a lead that became hot in a ${kind}.`);
    }
    const heldVia = updated.map(({ data }) => about.parse(data).held_via.join('+')).sort();
    expectSeen(
      heldVia.join() === 'purchased+saved,saved',
      `score changes of two held leads (there are ${heldVia.join(', ')}).`,
    );
    expectSeen(summary !== undefined, 'a rescore.summary of what was held back.');
    const { reason, entered_hot_total: total } = summaryData.parse(summary.data);
    expectSeen(reason === 'cap_exceeded' && total === 6, 'a summary of six leads over the cap.');
    return {
      text: '4 of 6 lead.entered_hot, 2 lead.score_updated, and 1 rescore.summary of the rest, all verified',
      json: {
        ...{ events: told.length, runId, enteredHot: hot.length, scoreUpdated: updated.length },
        ...{ heldVia, sources, summary: summary.data },
      },
    };
  },
};

/** Runs a rescore to its end; one that an earlier run of the demo left is waited for first. */
async function run(stage: Stage): Promise<RescoreRun> {
  const { context, narrator } = stage;
  const began = performance.now();
  const runId = await stage.until('the beginning of a rescore', async () => {
    const { run: asked, begun } = await requestRescore(context.db, { trigger: 'request' });
    return begun ? asked.id : undefined;
  });
  const workflowId = rescoreWorkflowId(runId);
  narrator.fact('run', runId, { rescore_run_id: runId });
  narrator.fact('workflow', stage.ui(workflowId), { workflow_id: workflowId });
  const finished = await stage.until('the end of the rescore', async () => {
    const now = await readRescore(context.db, runId);
    return now.state === 'finished' ? now : undefined;
  });
  const progress = progressOf(finished);
  narrator.fact('progress', describeProgress(progress), { rescore_run_id: runId, ...progress });
  narrator.fact(
    '',
    `in ${seconds(performance.now() - began)}; the workflow's page shows the same line`,
  );
  return finished;
}

/** Follows every event of the run that is about this account. */
async function followRun(stage: Stage, runId: string): Promise<ReceivedEvent[]> {
  const { narrator } = stage;
  const told: ReceivedEvent[] = [];
  const events = await stage.events();
  for (const [type, title] of TITLES) {
    const these = events.filter((event) => event.type === type);
    let begun = false;
    for (const event of these) {
      const received = await stage.until(`the receipt of ${event.id}`, () =>
        stage.receipts.find(({ eventId }) => eventId === event.id),
      );
      // The first rescore may have told of something too.
      if (runOf(received.body) !== runId) continue;
      if (!begun) narrator.step(title);
      begun = true;
      const got = await followEvent(stage, event, { brief: type !== 'rescore.summary' });
      expectOnce(stage, event.id);
      if (type === 'rescore.summary') tellSummary(stage, got);
      else tellLead(stage, got);
      told.push(got);
    }
  }
  return told;
}

const TITLES = [
  ['lead.entered_hot', `Leads that became hot where the account looks: the first ${CAP} by id`],
  ['lead.score_updated', 'Leads that the account holds, with another score'],
  ['rescore.summary', `What the cap of ${CAP} held back is counted in one event`],
] as const;

const ofRun = z.object({ data: z.object({ rescore_run_id: z.string() }) });

function runOf(body: unknown): string | undefined {
  return ofRun.safeParse(body).data?.data.rescore_run_id;
}

function tellLead({ narrator }: Stage, { data }: ReceivedEvent): void {
  const {
    parcel_id: id,
    score,
    previous_score: before,
    sources,
    held_via: via,
  } = about.parse(data);
  narrator.fact('lead', `${id}: ${shownScore(before)} → ${shownScore(score)}`);
  if (sources.length > 0) {
    const names = sources.map(({ kind, name }) => `${kind} "${name}"`);
    narrator.fact('sources', names.join(', '), { sources });
  }
  if (via.length > 0) narrator.fact('held via', via.join(', '), { held_via: via });
}

function tellSummary({ narrator }: Stage, { data }: ReceivedEvent): void {
  const told = summaryData.parse(data);
  narrator.fact('reason', told.reason);
  const { entered_hot_total: hot, entered_hot_sent: hotSent } = told;
  const { score_updated_total: updated, score_updated_sent: updatedSent } = told;
  narrator.fact(
    'counts',
    `entered hot: ${hotSent} of ${hot} sent; score updated: ${updatedSent} of ${updated}`,
  );
  for (const { kind, name, entered_hot: count } of told.per_source) {
    narrator.fact('source', `${kind} "${name}": ${count} became hot`);
  }
  narrator.fact('link', told.view_url);
}
