import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROTATE_AT_BYTES = 20 * 1024 * 1024;

/**
 * Opens `<dataDir>/logs/<name>.log` for appending and returns its path and descriptor. One that
 * has grown beyond 20 MiB is first moved to `<name>.log.1`, replacing the one before.
 */
export function openLogFile(dataDir: string, name: string): { path: string; descriptor: number } {
  const folder = join(dataDir, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.log`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_AT_BYTES) {
    renameSync(path, `${path}.1`);
  }
  return { path, descriptor: openSync(path, 'a', 0o600) };
}

/** Runs `use` with the log file's descriptor and closes our copy of it afterwards. */
export function withLogFile<T>(dataDir: string, name: string, use: (descriptor: number) => T): T {
  const { descriptor } = openLogFile(dataDir, name);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The last lines of `<dataDir>/logs/<name>.log`, for an error message; empty when there is none. */
export function logTail(dataDir: string, name: string, lines = 8): string {
  try {
    const text = readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}
