import { createDeal } from '../../deals/create-deal.ts';
import { dealSubject } from '../../deals/deal-event.ts';
import { moveDeal } from '../../deals/move-deal.ts';
import { listDeliveries, showDelivery } from '../../deliveries/list-deliveries.ts';
import { healthWorkflowId, replayWorkflowId } from '../../domain/workflow-id.ts';
import { requireEndpoint } from '../../endpoints/read-endpoints.ts';
import { resumeEndpoint } from '../../endpoints/resume-endpoint.ts';
import { counted } from '../../mail/wording.ts';
import { showReplay } from '../../redelivery/replay.ts';
import { startReplay } from '../../redelivery/start-replay.ts';
import { SUGGESTED_PARCEL } from '../first-parcels.ts';
import { announce, deliveryOf, seconds, words } from './follow-event.ts';
import { arrivedMail, countMails } from './mails.ts';
import { expectSeen } from './not-seen.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const PAUSE_AFTER_MS = 9_000;
const WARN_BEFORE_MS = 5_000;

/** An endpoint that only fails: warned of, tried once more, paused, resumed, and made good. */
export const pause: Scenario = {
  name: 'pause',
  summary:
    'a receiver that only fails: warning, last attempt, pause, mails; then resume and replay',
  settings: { pausePolicy: { pauseAfterMs: PAUSE_AFTER_MS, warnBeforeMs: WARN_BEFORE_MS } },
  async play(stage) {
    const dealId = await failAlways(stage);
    await seeWarning(stage);
    await seePause(stage);
    await seeSkipped(stage, dealId);
    const replayed = await replay(stage);
    const mails = await countMails(stage);
    expectSeen(mails === 2, `exactly two mails (there were ${mails}).`);
    return {
      text: `a warning, a last attempt, a pause and 2 mails; then ${replayed.length} events in order, each once`,
      json: { dealId, endpointId: stage.endpointId, mails, replayed },
    };
  },
};

/** Makes events that fail; answers the deal's id. */
async function failAlways(stage: Stage): Promise<string> {
  const { context, accountId, endpointId, narrator } = stage;
  narrator.step('The receiver answers 500 from now on; a deal is created and moves twice');
  await stage.answer('500');
  const { id: dealId } = await createDeal(context, { accountId, parcelId: SUGGESTED_PARCEL });
  for (const to of ['CONTACTED', 'OFFER_SENT']) await moveDeal(context, { accountId, dealId, to });
  for (const event of await stage.events(dealSubject(dealId))) await announce(stage, event);
  const since = await stage.until('an endpoint that is failing', async () => {
    const { failingSince } = await requireEndpoint(context.db, { accountId, endpointId });
    return failingSince ?? undefined;
  });
  const workflowId = healthWorkflowId(endpointId);
  narrator.fact(
    'endpoint',
    `failing since ${since.slice(11, 19)} UTC, by its first failed attempt`,
    {
      ...{ endpoint_id: endpointId, failing_since: since },
    },
  );
  narrator.fact('health', stage.ui(workflowId), { workflow_id: workflowId });
  return dealId;
}

async function seeWarning(stage: Stage): Promise<void> {
  const { narrator } = stage;
  const mail = await arrivedMail(stage, 'warning');
  narrator.step(`The owner is warned, ${seconds(WARN_BEFORE_MS)} ahead`);
  narrator.fact('mail', mail.subject, { mail_id: mail.id });
  narrator.fact('file', mail.path);
}

async function seePause(stage: Stage): Promise<void> {
  const { context, accountId, endpointId, narrator } = stage;
  const which = { accountId, endpointId };
  const { pauseReason } = await stage.until('a paused endpoint', async () => {
    const endpoint = await requireEndpoint(context.db, which);
    return endpoint.state === 'paused' ? endpoint : undefined;
  });
  narrator.step('One last attempt, then the pause');
  const lastOne = (await listDeliveries(context.db, which)).find(
    ({ kind }) => kind === 'last_attempt',
  );
  expectSeen(lastOne !== undefined, 'a last attempt before the pause.');
  const { attempts } = await showDelivery(context.db, { accountId, deliveryId: lastOne.id });
  const [attempt] = attempts;
  expectSeen(attempt !== undefined, 'the last attempt in the log.');
  narrator.fact(
    'attempt',
    `the newest event once more: ${words(attempt)} in ${attempt.durationMs} ms`,
    {
      ...{ delivery_id: lastOne.id, event_id: lastOne.eventId },
    },
  );
  expectSeen(pauseReason === 'failing', `a pause because of failures (it is ${pauseReason}).`);
  narrator.fact('endpoint', 'paused, because every delivery failed', { endpoint_id: endpointId });
  narrator.fact('', stage.cli(`endpoint show ${endpointId}`));
  for (const { id } of await stage.events()) {
    const { state, skipReason, attemptsMade } = await deliveryOf(stage, id);
    const why = skipReason === null ? state : `${state}: ${skipReason}`;
    narrator.fact('log', `${id}  ${why}, after ${counted(attemptsMade, 'attempt')}`, {
      ...{ event_id: id, state, attempts: attemptsMade },
    });
  }
  const mail = await arrivedMail(stage, 'paused');
  narrator.fact('mail', mail.path, { mail_id: mail.id });
  narrator.quote(`To: ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.body}`);
}

async function seeSkipped(stage: Stage, dealId: string): Promise<void> {
  const { context, accountId, narrator } = stage;
  narrator.step('Meanwhile the deal moves on, to UNDER_CONTRACT');
  const before = stage.receipts.length;
  await moveDeal(context, { accountId, dealId, to: 'UNDER_CONTRACT' });
  const event = (await stage.events(dealSubject(dealId))).at(-1);
  expectSeen(event !== undefined, 'an event while the endpoint is paused.');
  const delivery = await deliveryOf(stage, event.id);
  expectSeen(
    delivery.state === 'skipped' && delivery.skipReason === 'endpoint_paused',
    `${event.id} skipped (it is ${delivery.state}).`,
  );
  narrator.fact('event', `${event.id}  ${event.type}`, { event_id: event.id });
  narrator.fact('log', 'skipped: endpoint_paused. Nothing is sent, and nothing is forgotten', {
    delivery_id: delivery.id,
  });
  expectSeen(stage.receipts.length === before, 'silence while the endpoint is paused.');
}

/** Resumes with a replay; answers the ids of the events in the order in which they arrived. */
async function replay(stage: Stage): Promise<string[]> {
  const { context, accountId, endpointId, narrator } = stage;
  const which = { accountId, endpointId };
  narrator.step('The receiver works again; the endpoint is resumed, with a replay');
  await stage.answer('200');
  const before = stage.receipts.length;
  const { waiting } = await resumeEndpoint(context, which);
  const { id: replayId } = await startReplay(context, which);
  narrator.fact('replay', `${replayId}: ${waiting} deliveries wait`, { replay_id: replayId });
  narrator.fact('by hand', stage.cli(`endpoint resume ${endpointId} --replay`));
  const workflowId = replayWorkflowId(replayId);
  narrator.fact('workflow', stage.ui(workflowId), { workflow_id: workflowId });
  await stage.until('the end of the replay', async () => {
    const { state } = await showReplay(context.db, { accountId, replayId });
    return state === 'running' ? undefined : state;
  });
  const events = await stage.events();
  const got = () => stage.receipts.slice(before);
  await stage.until(`${events.length} replayed events`, () =>
    got().length >= events.length ? true : undefined,
  );
  for (const { eventId, answered, seen } of got()) {
    narrator.fact(
      'receiver',
      `${eventId}  answered ${answered}, signature ok (request ${seen} with this id)`,
      {
        event_id: eventId,
      },
    );
  }
  expectSeen(
    got().every(({ verdict, answered }) => verdict.ok && answered === '200'),
    'a good signature and a 200 for each.',
  );
  const ids = got().map(({ eventId }) => eventId);
  expectSeen(
    ids.join() === events.map(({ id }) => id).join(),
    `the ${events.length} events in the order in which they happened, each once.`,
  );
  const after = await requireEndpoint(context.db, which);
  expectSeen(after.state === 'active' && !after.failingSince, 'a healthy endpoint again.');
  narrator.fact('endpoint', 'active and healthy again', { endpoint_id: endpointId });
  return ids;
}
