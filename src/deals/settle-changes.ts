import { END_STAGES, type DealStatus } from '../domain/deal-status.ts';
import { subStatesOf } from '../domain/deal-sub-state.ts';
import { badRequest } from '../errors.ts';
import { shown } from '../input.ts';
import type { Deal } from './deal-data.ts';
import type { DealChanges } from './deal-fields.ts';

/** What of a deal as it was bears on changes to it. */
type Before = Pick<Deal, 'subState' | 'nextAction'>;

/** The same of a deal that is only being created. */
export const NOTHING_BEFORE: Before = { subState: null, nextAction: null };

/**
 * What changes come to on a deal that is at `stage` afterwards: what depends on the stage or on
 * another field is cleared with it. A field that does not fit is a `bad_request` that names it.
 */
export function settleChanges(
  stage: DealStatus,
  before: Before,
  changes: DealChanges,
): DealChanges {
  return {
    ...changes,
    sub_state: settledSubState(stage, before, changes),
    ...settledDeadReason(stage, changes),
    ...settledDue(before, changes),
  };
}

/**
 * What changes come to on a deal that moves to `stage` with them. Where a deal ends, what was still to
 * be done is not to be done any more; the move may say what is instead.
 */
export function settleMove(stage: DealStatus, before: Before, changes: DealChanges): DealChanges {
  if (!END_STAGES.includes(stage)) return settleChanges(stage, before, changes);
  const { next_action = null, next_action_due = null } = changes;
  return settleChanges(stage, before, { ...changes, next_action, next_action_due });
}

/** A sub-state belongs to stages; at another one it is gone. */
function settledSubState(
  stage: DealStatus,
  { subState: before }: Before,
  { sub_state: given }: DealChanges,
): string | null {
  const allowed = subStatesOf(stage);
  if (given && !allowed.includes(given)) {
    const rule =
      allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : 'there is none to choose from';
    throw badRequest('sub_state', `sub_state: at ${stage} ${rule}, not ${shown(given)}.`);
  }
  const wanted = given === undefined ? before : given;
  return wanted !== null && allowed.includes(wanted) ? wanted : null;
}

/** A reason for having died belongs to the dead stage only. */
function settledDeadReason(stage: DealStatus, { dead_reason: given }: DealChanges): DealChanges {
  if (stage === 'DEAD') return {};
  if (given) {
    const rule = `is given only for a deal at DEAD; this one is at ${stage}`;
    throw badRequest('dead_reason', `dead_reason: ${rule}.`);
  }
  return { dead_reason: null };
}

/** Without something to do nothing is due. */
function settledDue({ nextAction: before }: Before, changes: DealChanges): DealChanges {
  const { next_action: given, next_action_due: due } = changes;
  const action = given === undefined ? before : given;
  if (action !== null) return {};
  if (due) {
    throw badRequest('next_action_due', 'next_action_due: needs a next_action; there is none.');
  }
  return { next_action_due: null };
}
