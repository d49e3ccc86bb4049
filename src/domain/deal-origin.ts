/**
 * Where the property of a deal was found (spec §2.3), and what each word means. Words may be added,
 * never taken away.
 */
export const DEAL_SOURCES = {
  pipeline: 'entered into the pipeline directly',
  list: 'a saved list',
  farm: 'a farm',
  search: 'a saved search',
  campaign: 'an answer to postcards',
  referral: 'somebody passed it on',
} as const;
export type DealSource = keyof typeof DEAL_SOURCES;

/** How a deal came to be entered (spec §2.5), and what each word means. Words may be added. */
export const DEAL_CREATED_VIA = {
  manual: 'by hand',
  import: 'from a file',
  automation: 'by a program',
} as const;
export type DealCreatedVia = keyof typeof DEAL_CREATED_VIA;
