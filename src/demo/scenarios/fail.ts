import { createDeal } from '../../deals/create-deal.ts';
import { dealSubject } from '../../deals/deal-event.ts';
import { moveDeal } from '../../deals/move-deal.ts';
import { SUGGESTED_PARCEL } from '../first-parcels.ts';
import { followEvent, receiptsOf } from './follow-event.ts';
import { expectSeen } from './not-seen.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

/** Whatever is not a 2xx in time is tried again (spec §3.5): a status, a redirect, silence. */
export const fail: Scenario = {
  name: 'fail',
  summary:
    'a receiver that answers 500 twice, then redirects, then hangs: retries until it is delivered',
  settings: { deliveryTimeoutMs: 2_000 },
  async play(stage) {
    const { context, accountId, narrator } = stage;
    narrator.step('The receiver is told to answer 500 twice; then a deal is created');
    await stage.answer('500', 2);
    const { id: dealId } = await createDeal(context, { accountId, parcelId: SUGGESTED_PARCEL });
    const requests = { status: await follow(stage, dealId, ['500', '500', '200']) };

    narrator.step('The receiver redirects once; the deal moves to CONTACTED');
    await stage.answer('redirect', 1);
    await moveDeal(context, { accountId, dealId, to: 'CONTACTED' });
    const redirected = await follow(stage, dealId, ['redirect', '200']);

    narrator.step('The receiver hangs once; the deal moves to OFFER_SENT');
    await stage.answer('hang', 1);
    await moveDeal(context, { accountId, dealId, to: 'OFFER_SENT' });
    const hung = await follow(stage, dealId, ['hang', '200']);

    return {
      text: '3 events delivered in 7 requests: 4 failed and were retried, every signature verified',
      json: { events: 3, delivered: 3, dealId, answered: { ...requests, redirected, hung } },
    };
  },
};

/** Follows the deal's newest event; the receiver must have been asked exactly so often. */
async function follow(stage: Stage, dealId: string, answers: string[]): Promise<string[]> {
  const event = (await stage.events(dealSubject(dealId))).at(-1);
  expectSeen(event !== undefined, `an event of the deal ${dealId}.`);
  await followEvent(stage, event);
  const answered = receiptsOf(stage, event.id).map((receipt) => receipt.answered);
  expectSeen(
    answered.join() === answers.join(),
    `the answers ${answers.join(', ')} to ${event.id} (they were ${answered.join(', ')}).`,
  );
  return answered;
}
