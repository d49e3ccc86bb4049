import { createDeal } from '../../deals/create-deal.ts';
import { dealSubject } from '../../deals/deal-event.ts';
import { moveDeal } from '../../deals/move-deal.ts';
import { SUGGESTED_PARCEL } from '../first-parcels.ts';
import { expectOnce, followEvent } from './follow-event.ts';
import { expectSeen } from './not-seen.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

/** A deal's whole life: three moves, four events. */
export const deal: Scenario = {
  name: 'deal',
  summary: 'a deal from NEW to UNDER_CONTRACT to CLOSED with its actuals: four events',
  settings: {},
  async play(stage) {
    const { context, accountId, narrator } = stage;
    narrator.step(`A deal is created on the parcel ${SUGGESTED_PARCEL}, at NEW`);
    const { id: dealId } = await createDeal(context, { accountId, parcelId: SUGGESTED_PARCEL });
    const told: ReceivedEvent[] = await followNew(stage, dealId, 0);

    narrator.step('It moves to UNDER_CONTRACT, at $142,500.00');
    await moveDeal(context, {
      ...{ accountId, dealId, to: 'UNDER_CONTRACT' },
      changes: { contract_price_cents: 14_250_000, buyer_name: 'Marigold Homes LLC' },
    });
    told.push(...(await followNew(stage, dealId, told.length)));

    narrator.step('It moves to CLOSED with what it really earned: two events at once');
    const actuals = { actual_fee_cents: 1_350_000, actual_profit_cents: 1_210_000 };
    await moveDeal(context, { ...{ accountId, dealId, to: 'CLOSED' }, actuals });
    told.push(...(await followNew(stage, dealId, told.length)));

    const types = told.map(({ type }) => type);
    const moves = told.map(({ data }) => `${data['from_status']}>${data['to_status']}`);
    const expected = 'null>NEW NEW>UNDER_CONTRACT UNDER_CONTRACT>CLOSED UNDER_CONTRACT>CLOSED';
    expectSeen(
      types.filter((type) => type === 'deal.status_changed').length === 3 &&
        types.at(-1) === 'deal.closed' &&
        moves.join(' ') === expected,
      `three deal.status_changed and one deal.closed (got ${types.join(', ')}: ${moves.join(' ')}).`,
    );
    const closed = told.at(-1);
    narrator.step('The whole payload of deal.closed, as the receiver got it');
    narrator.quote(JSON.stringify(closed, null, 2));
    return {
      text: '4 events recorded with their rows, 4 received, each once, every signature verified',
      json: {
        events: 4,
        received: told.length,
        duplicates: 0,
        verified: told.length,
        dealId,
        closed,
      },
    };
  },
};

/** Follows the events of the deal that were not followed yet; each must have come exactly once. */
async function followNew(stage: Stage, dealId: string, known: number): Promise<ReceivedEvent[]> {
  const { narrator } = stage;
  const events = (await stage.events(dealSubject(dealId))).slice(known);
  const these = events.length === 1 ? 'its event' : `its ${events.length} events`;
  narrator.fact('row', `${dealId}, and ${these} in the same transaction`, { deal_id: dealId });
  const got: ReceivedEvent[] = [];
  for (const event of events) {
    got.push(await followEvent(stage, event));
    expectOnce(stage, event.id);
  }
  return got;
}
