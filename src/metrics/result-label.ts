import type { AttemptError } from '../domain/attempt-error.ts';

const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;

/** What an attempt came to, as a label: one of a few values, whatever receivers answer. */
export type ResultLabel = (typeof STATUS_CLASSES)[number] | AttemptError;

/** The class of the status that was answered, or else the word for why none counts. */
export function resultLabel(error: AttemptError | null, statusCode: number | null): ResultLabel {
  if (error !== null && error !== 'http_status') return error;
  const found = STATUS_CLASSES.find((name) => name[0] === String(statusCode)[0]);
  // A made-up status such as 799.
  return found ?? 'http_status';
}
