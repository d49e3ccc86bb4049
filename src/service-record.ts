import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config.ts';

const serviceRecord = z.object({ apiUrl: z.string(), receiverUrl: z.string().nullable() });

/** Where the last `start` on this data directory served, for commands in other processes. */
export type ServiceRecord = z.output<typeof serviceRecord>;

function path(config: Config): string {
  return join(config.dataDir, 'service.json');
}

export async function writeServiceRecord(config: Config, record: ServiceRecord): Promise<void> {
  await writeFile(path(config), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

/** Undefined when nothing was ever started here. */
export async function readServiceRecord(config: Config): Promise<ServiceRecord | undefined> {
  try {
    return serviceRecord.parse(JSON.parse(await readFile(path(config), 'utf8')));
  } catch {
    return undefined;
  }
}
