import { showDeal, type ShownDeal } from '../deals/show-deal.ts';
import type { Command } from './command.ts';
import { accountOption, withAccount } from './context.ts';
import { listing, table } from './table.ts';

export const dealShow: Command = {
  name: 'deal show',
  summary: 'show a deal with its events and where their deliveries stand',
  args: ['deal id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const shown = await showDeal(db, { accountId, dealId: input.args['deal id'] ?? '' });
      const { deal, parcel, events } = shown;
      const headings = ['created', 'event', 'what', 'delivery', 'state', 'attempts', 'endpoint'];
      return {
        json: { ...deal, address: parcel.address, events },
        text: `${fields(shown)}\n\n${table(headings, events.flatMap(rows))}`,
      };
    }),
};

/** What is known of the deal, by the names that the Read API has. */
function fields({ deal: { id, ...others }, parcel }: ShownDeal): string {
  const known = Object.entries(others).flatMap(([name, value]) =>
    value === null || name === 'accountId' ? [] : [[snakeCase(name), String(value)]],
  );
  return listing({ deal: id, address: parcel.address, ...Object.fromEntries(known) });
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An event's deliveries, one to a row; one row when nobody was subscribed. */
function rows(event: ShownDeal['events'][number]): string[][] {
  const move = `${event.fromStatus ?? '(new)'} → ${event.toStatus}`;
  const what = event.type === 'deal.closed' ? event.type : move;
  const head = [event.createdAt.slice(0, 19), event.id, what];
  if (event.deliveries.length === 0) return [[...head, '-', 'no endpoint', '-', '-']];
  return event.deliveries.map((delivery) => [
    ...head,
    delivery.id,
    delivery.skipReason ? `${delivery.state}: ${delivery.skipReason}` : delivery.state,
    String(delivery.attemptsMade),
    delivery.endpointId,
  ]);
}
