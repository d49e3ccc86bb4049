import { apiKeys } from '../../drizzle/schema.ts';
import type { Db } from '../db/client.ts';

/** A key of the Read API as its owner sees it; its text is told once, when it is made. */
export interface ApiKey {
  id: string;
  name: string;
  /** The last four characters of its text. */
  hint: string;
  createdAt: string;
  lastUsedAt: string | null;
  /** Null while it is good. */
  revokedAt: string | null;
}

/** The columns of an {@link ApiKey}. */
export const apiKeyColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  hint: apiKeys.hint,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
};

/** What the verbs of this folder work with. */
export interface ApiKeyContext {
  db: Db;
  /** Who does it, for the audit log. */
  actor: string;
}
