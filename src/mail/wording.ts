/** How wide the lines of a mail may be; longer words, such as links, stay whole. */
const LINE_WIDTH = 76;

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
] as const;

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/**
 * A text of somebody else's on one line of at most `length` characters. Control characters, line
 * ends and what reverses the direction of a line become spaces: in a subject they could forge
 * headers, in a text they could make it say something else.
 */
export function oneLine(text: string, length: number): string {
  const characters = [...text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()];
  if (characters.length <= length) return characters.join('');
  return `${characters.slice(0, length - 1).join('')}…`;
}

/** `1 March 2026, 12:34:56 UTC`, from ISO 8601 or milliseconds since the epoch. */
export function readableTime(moment: string | number): string {
  const date = new Date(moment);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day}, ${date.toISOString().slice(11, 19)} UTC`;
}

/** `3 days`, `1 hour 30 minutes`, `30 seconds`; from milliseconds, which are rounded to seconds. */
export function readableDuration(milliseconds: number): string {
  let rest = Math.max(1_000, Math.round(milliseconds / 1_000) * 1_000);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(counted(count, unit));
  }
  return parts.join(' ');
}

/** `1 day`, `2 days`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A paragraph in lines; those after the first are indented as far as what it begins with. */
export function wrap(paragraph: string, beginning = ''): string {
  const indent = ' '.repeat(beginning.length);
  const [first = '', ...words] = paragraph.split(' ');
  const lines: string[] = [];
  let line = `${beginning}${first}`;
  for (const word of words) {
    if (line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(line);
      line = `${indent}${word}`;
    } else {
      line += ` ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
