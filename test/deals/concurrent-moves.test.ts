import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deals } from '../../drizzle/schema.ts';
import { openDatabase, type Database } from '../../src/db/client.ts';
import { moveDeal } from '../../src/deals/move-deal.ts';
import { updateDeal } from '../../src/deals/update-deal.ts';
import { DEAL_MOVES, DEAL_STATUSES } from '../../src/domain/deal-status.ts';
import { dealEventsOf } from '../support/deal-events.ts';
import { seededRandom } from '../support/random.ts';
import { createTestRecords, type TestRecords } from '../support/records.ts';

/* Several processes move and change one deal at once; its events tell of one history (spec §6.2). */
const PROCESSES = 4;
const ROUNDS = 8;
const WISHES = 60;
/** Closing is final, so it is wished for late in a round only. */
const OPEN = DEAL_STATUSES.filter((status) => status !== 'CLOSED');

let records: TestRecords;
let processes: Database[];
beforeAll(async () => {
  records = await createTestRecords();
  processes = Array.from({ length: PROCESSES }, (_, i) =>
    openDatabase(records.url, { max: 3, name: `process ${i}` }),
  );
});
afterAll(async () => {
  await Promise.all(processes.map((database) => database.close()));
  await records.close();
});

test('moves and changes take turns: by created_at the events are a chain of allowed moves that ends in the row', async () => {
  const random = seededRandom();
  let moves = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id: accountId } = await records.newAccount();
    const { id: dealId } = await records.newDeal(accountId);
    const wishes = Array.from({ length: WISHES }, (_, i) => {
      const { db } = random.pick(processes);
      const which = { accountId, dealId };
      if (random.next() < 0.2) {
        const changes = { note: `${round}.${i}`, next_action: random.pick(['Call', null]) };
        return updateDeal({ ...records.context, db }, { ...which, changes }).then(
          () => 'changed' as const,
        );
      }
      const closing = i > WISHES * 0.8 && random.next() < 0.3;
      const to = closing ? 'CLOSED' : random.pick(OPEN);
      const actuals = closing ? { actual_fee_cents: i } : {};
      return moveDeal({ ...records.context, db }, { ...which, to, actuals }).then(
        () => 'moved' as const,
      );
    });
    const results = await Promise.allSettled(wishes);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    const moved = results.filter(
      (result) => result.status === 'fulfilled' && result.value === 'moved',
    ).length;
    moves += moved;

    const told = await dealEventsOf(records.db, accountId);
    const changes = told.filter(({ type }) => type === 'deal.status_changed');
    expect(changes, random.description).toHaveLength(moved + 1);
    expect(changes[0]?.data).toMatchObject({ from_status: null, to_status: 'NEW' });
    for (const [i, { created_at, data }] of changes.slice(1).entries()) {
      const before = changes[i]!;
      expect(data.from_status, random.description).toBe(before.data.to_status);
      expect(DEAL_MOVES[before.data.to_status]).toContain(data.to_status);
      expect(created_at > before.created_at).toBe(true);
      expect(data.stage_entered_at > before.data.stage_entered_at).toBe(true);
    }
    const [row] = await records.db.select().from(deals).where(eq(deals.id, dealId));
    const last = changes.at(-1)!;
    expect(last.data.to_status).toBe(row?.status);
    expect(last.data.stage_entered_at).toBe(row?.stageEnteredAt);
    // A deal closes once, right after the move that closed it.
    const closed = told.filter(({ type }) => type === 'deal.closed');
    expect(closed).toHaveLength(row?.status === 'CLOSED' ? 1 : 0);
    if (closed[0]) {
      expect(closed[0].data).toMatchObject({ ...last.data, closed_at: row?.stageEnteredAt });
      expect(told.indexOf(closed[0])).toBe(told.indexOf(last) + 1);
    }
  }
  expect(moves).toBeGreaterThan(ROUNDS * 5);
});
