import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRunning } from './process-identity.ts';

const processIdentity = z.object({ pid: z.int(), startedAt: z.string() });

const instanceRecord = z.object({
  id: z.string(),
  /** Our own process. */
  owner: processIdentity,
  /** ISO 8601. */
  since: z.string(),
  state: z.enum(['starting', 'running', 'stopping', 'stopped']),
  /** A `service` stays; a `command` needs the database for a moment. */
  purpose: z.enum(['service', 'command']),
  ports: z.partialRecord(
    z.enum(['postgres', 'temporal', 'temporalUi', 'temporalHttp', 'temporalMetrics']),
    z.int(),
  ),
  children: z.array(processIdentity.extend({ name: z.string() })),
  databaseUrl: z.string().nullable(),
  temporalAddress: z.string().nullable(),
  temporalUiUrl: z.string().nullable(),
});

/** What `<dataDir>/instance.json` says about the instance that uses this data directory. */
export type InstanceRecord = z.infer<typeof instanceRecord>;

/** Where the record of a data directory's instance is kept. */
export function instancePath(dataDir: string): string {
  return join(dataDir, 'instance.json');
}

/** Reads a record's text; undefined when it is not one (cut off, or of another version). */
export function parseRecord(text: string): InstanceRecord | undefined {
  try {
    return instanceRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The record of a data directory, whether its instance still runs or not; undefined when none. */
export function readRecord(dataDir: string): InstanceRecord | undefined {
  try {
    return parseRecord(readFileSync(instancePath(dataDir), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote this record still holds the data directory. */
export function isHeld(record: InstanceRecord | undefined): record is InstanceRecord {
  return record !== undefined && record.state !== 'stopped' && isRunning(record.owner);
}

/** Replaces a file in one step, readable by its owner only, and has it on disk when it returns. */
export function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${randomUUID()}`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}
