import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { isHeld, parseRecord, writeAtomically, type InstanceRecord } from './instance-record.ts';

/** The outcome of a claim: ours (and what was there before), or held by somebody who lives. */
export type Claim =
  { won: true; previous: InstanceRecord | undefined } | { won: false; holder: InstanceRecord };

/**
 * Puts our record at `path`, unless a living process holds it; of any number of processes that
 * claim at the same instant exactly one wins.
 *
 * A free path is taken by a hard link, which exists with its whole content or not at all. A dead
 * holder's record may only be replaced by whoever has claimed the right to succeed that very
 * record, which is the same problem on a path of its own; `id` makes every record's text unique.
 */
export function claim(path: string, record: InstanceRecord): Claim {
  const text = JSON.stringify(record, null, 2);
  for (;;) {
    if (createWhole(path, text)) return { won: true, previous: undefined };
    const found = readIfThere(path);
    if (found === undefined) continue; // a succession that has just been settled
    const previous = parseRecord(found);
    if (isHeld(previous)) return { won: false, holder: previous };

    const succession = successionPath(path, found);
    const right = claim(succession, record);
    if (!right.won) return right;
    try {
      if (readIfThere(path) !== found) continue; // somebody succeeded before we had the right
      writeAtomically(path, text);
      return { won: true, previous };
    } finally {
      rmSync(succession, { force: true });
    }
  }
}

/** Where the right to replace this very record is claimed. */
export function successionPath(path: string, text: string): string {
  return `${path}.after-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function createWhole(path: string, text: string): boolean {
  const temporary = `${path}.${randomUUID()}`;
  writeAtomically(temporary, text);
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
