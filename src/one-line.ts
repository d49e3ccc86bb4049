/**
 * Whether a text is one line of plain text: no control characters, nothing that separates lines or
 * paragraphs, no half characters, and none of the characters that turn the direction of what follows.
 * Whatever others are shown beside more, such as a name or an address in `crm_note` (spec §2.2), is.
 */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text);
}

export const ONE_LINE = 'must be one line of text';
