import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { errorMessage } from '../errors.ts';
import type { Logger } from '../log.ts';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** Hands the SDK's log lines to ours; what it calls INFO is debug detail to our readers. */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    const ours = level === 'INFO' ? 'debug' : LEVELS[level];
    const { error } = (meta ?? {}) as { error?: unknown };
    // An activity's token is long and means nothing to readers.
    const shown = { ...meta, taskToken: undefined };
    log[ours]({ ...shown, ...(error !== undefined && { error: errorMessage(error) }) }, message);
  });
}
