import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { multistream, pino, type DestinationStream } from 'pino';
import type { Config } from '../config.ts';

/**
 * The log of `start`: everything goes to a file in the data directory; the terminal, which shows
 * what a newcomer wants to see, gets warnings and errors in one short line each, or as they are
 * with --json.
 */
export async function startLog(config: Config, json: boolean): Promise<DestinationStream> {
  const dir = join(config.dataDir, 'logs');
  await mkdir(dir, { recursive: true, mode: 0o711 });
  const file = pino.destination({ dest: join(dir, 'lead-events.log'), sync: true, mode: 0o600 });
  return multistream([
    { level: 'trace', stream: file },
    {
      level: 'warn',
      stream: { write: (line) => void process.stderr.write(json ? line : short(line)) },
    },
  ]);
}

function short(line: string): string {
  const { level, msg, error } = JSON.parse(line) as { level: number; msg?: string; error?: string };
  const word = level >= 50 ? 'error' : 'warning';
  return `${word}: ${[msg, error].filter(Boolean).join(': ')}\n`;
}
