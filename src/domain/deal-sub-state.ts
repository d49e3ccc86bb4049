import type { DealStatus } from './deal-status.ts';

/**
 * Where exactly a deal stands within its stage (spec §2.3), and what each word means. A sub-state
 * belongs to the stages that list it; what is lost or closed has none. Words may be added, never
 * taken away.
 */
export const DEAL_SUB_STATES: Readonly<Record<DealStatus, Readonly<Record<string, string>>>> = {
  NEW: {
    unreviewed: 'nobody has looked at it yet',
    researching: 'owner, title and value are being looked into',
  },
  CONTACTED: {
    attempting: 'reached out, no answer so far',
    in_conversation: 'the owner answers',
    appointment_set: 'a visit or a call is agreed on',
    follow_up: 'to be asked again later',
  },
  OFFER_SENT: {
    awaiting_response: 'the owner has the offer',
    negotiating: 'price or terms are being discussed',
    follow_up: 'to be asked again later',
  },
  UNDER_CONTRACT: {
    option_period: 'the contract can still be left',
    finding_buyer: 'the contract is being offered to buyers',
    title_work: 'the title company is clearing the title',
    clear_to_close: 'only the closing itself is left',
  },
  CLOSED: {},
  TERMINATED: {},
  DEAD: {},
};

/** The sub-states of a stage, in the order in which they are listed. */
export function subStatesOf(status: DealStatus): readonly string[] {
  return Object.keys(DEAL_SUB_STATES[status]);
}
