import { badRequest, conflict } from '../errors.ts';
import { hasActuals, isClosed, type Deal } from './deal-data.ts';
import type { DealActuals, DealChanges } from './deal-fields.ts';

/** The amounts of a deal that are settled once it is closed. */
const SETTLED = ['contract_price_cents', 'earnest_cents', 'est_fee_cents'] as const;

/**
 * Refuses changes of a deal's money that its stage does not allow. Actuals are given to a closed deal
 * that has none; from then on they are books. The other amounts of a closed deal stay, but for the
 * contract's price: it may be put right together with the actuals, since deal.closed carries it (spec
 * §2.6). A fault is a `bad_request` that names the field, or a `conflict` when there are actuals.
 */
export function checkClosedMoney(before: Deal, changes: DealChanges, actuals: DealActuals): void {
  const areGiven = checkActuals(before, actuals);
  if (isClosed(before)) refuseSettled(before, changes, areGiven);
}

/** Answers whether actuals are given. */
function checkActuals(before: Deal, actuals: DealActuals): boolean {
  const given = Object.entries(actuals).filter(([, amount]) => amount !== undefined);
  const [first] = given;
  if (!first) return false;
  const [field] = first;
  if (!isClosed(before)) {
    const rule = `is given only for a deal at CLOSED; this one is at ${before.status}`;
    throw badRequest(field, `${field}: ${rule}.`);
  }
  if (hasActuals(before)) {
    throw conflict('The deal has its actuals already; they are given once.');
  }
  if (given.every(([, amount]) => amount === null)) {
    throw badRequest(field, `${field}: must be an amount; there is nothing to clear.`);
  }
  return true;
}

function refuseSettled(before: Deal, changes: DealChanges, withActuals: boolean): void {
  const free = withActuals ? 'contract_price_cents' : null;
  const field = SETTLED.find((name) => changes[name] !== undefined && name !== free);
  if (field === undefined) return;
  const mayYet = field === 'contract_price_cents' && !hasActuals(before);
  const rule = `cannot be changed at CLOSED${mayYet ? ', except together with the first actuals' : ''}`;
  throw badRequest(field, `${field}: ${rule}.`);
}
