import type { Config } from '../config.ts';
import { badRequest } from '../errors.ts';

/** The database of a process that does not bring its own. */
export function requireDatabaseUrl(config: Config): string {
  if (config.databaseUrl) return config.databaseUrl;
  throw badRequest(
    'DATABASE_URL',
    'DATABASE_URL is not set; this process uses a PostgreSQL of yours.',
  );
}

/** The Temporal server of a process that does not bring its own. */
export function requireTemporalAddress(config: Config): string {
  if (config.temporalAddress) return config.temporalAddress;
  throw badRequest(
    'TEMPORAL_ADDRESS',
    'TEMPORAL_ADDRESS is not set; this process uses a Temporal of yours.',
  );
}
