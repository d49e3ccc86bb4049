import type { Db, Tx } from './client.ts';

/** Reads that have to belong together: all of them see the database as it is at the first. */
export function inSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' });
}
