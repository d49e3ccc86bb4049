/** The states of a list (spec §2.9 shows the first). */
export const LIST_STATUSES = ['active', 'archived'] as const;
export type ListStatus = (typeof LIST_STATUSES)[number];
