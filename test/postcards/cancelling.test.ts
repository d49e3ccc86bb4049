import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nextPostcardState, type PostcardState } from '../../src/domain/postcard-state.ts';
import { advanceCampaign } from '../../src/postcards/advance-campaign.ts';
import { campaignStanding } from '../../src/postcards/campaign-standing.ts';
import { cancelCampaign } from '../../src/postcards/cancel-campaign.ts';
import { showCampaign } from '../../src/postcards/read-campaigns.ts';
import { createSimulatedPrinter } from '../../src/postcards/simulated-vendor.ts';
import { submitCards } from '../../src/postcards/submit-cards.ts';
import { eventsOf } from '../support/event-log.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';
import { newAddressees, newCampaign } from './mailing.ts';

/* What can be cancelled of a campaign, and what that leaves (spec §3.3). No workflow runs here. */
let records: TestRecords;
let accountId: string;
let parcels: string[];

beforeAll(async () => {
  records = await createTestRecords();
  parcels = await newAddressees(records, 3);
});
beforeEach(async () => {
  accountId = (await records.newAccount()).id;
});
afterAll(() => records.close());

const events = () => eventsOf(records, accountId, 'postcard.status_changed');
const advance = (campaignId: string) => advanceCampaign(records.context, { accountId, campaignId });
const submit = (campaignId: string) =>
  submitCards({ ...records.context, printer: createSimulatedPrinter() }, campaignId);
const draft = async (parcelIds = parcels) =>
  (await newCampaign(records, accountId, parcelIds)).campaign.id;
const show = (campaignId: string) => showCampaign(records.db, { accountId, campaignId });

/** A campaign that was moved by hand as far as this; from production on, the vendor has its cards. */
async function campaignAt(state: PostcardState): Promise<string> {
  const id = await draft();
  for (let at: PostcardState = 'draft'; at !== state; at = nextPostcardState(at)!) {
    await advance(id);
    await submit(id);
  }
  return id;
}

describe('cancelling', () => {
  it('a draft: its cards are CANCELLED, there is no event, and it moves no more', async () => {
    const id = await draft();
    await cancelCampaign(records.context, { accountId, campaignId: id });
    expect(await show(id)).toMatchObject({ state: 'draft', byStatus: { CANCELLED: 3 } });
    expect(await events()).toEqual([]);
    for (const again of [
      () => advance(id),
      () => cancelCampaign(records.context, { accountId, campaignId: id }),
    ]) {
      await expect(again()).rejects.toMatchObject({ code: 'conflict', message: /cancelled/ });
    }
  });

  it.each(['production', 'mailed', 'delivered_est'] as const)('not at %s', async (state) => {
    const id = await campaignAt(state);
    await expect(
      cancelCampaign(records.context, { accountId, campaignId: id }),
    ).rejects.toMatchObject({ code: 'conflict', message: /only a draft/ });
  });

  it('not in production before the vendor has answered', async () => {
    const id = await draft();
    await advance(id);
    await expect(
      cancelCampaign(records.context, { accountId, campaignId: id }),
    ).rejects.toMatchObject({ code: 'conflict', message: /only a draft/ });
  });

  it('not in production while the vendor has one card', async () => {
    const wrong = await newAddressees(records, 2, 'incomplete_address');
    const id = await draft([parcels[0]!, ...wrong]);
    await advance(id);
    await submit(id);
    await expect(
      cancelCampaign(records.context, { accountId, campaignId: id }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect(await show(id)).toMatchObject({ cancelledAt: null, everyCardRejected: false });
  });

  it('in production once every card was rejected: it stays there, and that is no event', async () => {
    const id = await draft(await newAddressees(records, 2, 'incomplete_address'));
    await advance(id);
    await submit(id);
    const which = { accountId, campaignId: id };
    const [event, ...more] = await events();
    expect([event?.data.state, more]).toEqual(['production', []]);
    const cancelled = await cancelCampaign(records.context, which);
    expect(cancelled).toMatchObject({ state: 'production', dueAt: null });
    expect(cancelled.cancelledAt).not.toBeNull();
    expect(await show(id)).toMatchObject({ byStatus: { CANCELLED: 2 }, everyCardRejected: true });
    expect(await campaignStanding(records.db, id)).toMatchObject({ next: null });
    expect(await events()).toHaveLength(1);
    for (const again of [() => advance(id), () => cancelCampaign(records.context, which)]) {
      await expect(again()).rejects.toMatchObject({ code: 'conflict', message: /cancelled/ });
    }
  });
});
