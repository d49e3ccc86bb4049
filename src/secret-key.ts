import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { unavailable } from './errors.ts';

/**
 * The 32-byte key that signing secrets are encrypted with. It comes from SECRET_KEY; with the
 * embedded database, one is made once and kept beside it. A database of one's own without a key is
 * refused: a key that differs between processes would make its secrets unreadable.
 */
export async function secretKey(config: Config): Promise<Buffer> {
  if (config.secretKey) return config.secretKey;
  if (config.databaseUrl) {
    throw unavailable(
      'SECRET_KEY is not set. With DATABASE_URL it must be given: make one with "openssl rand -hex 32", keep it safe, and give the same to every process.',
    );
  }
  const path = join(config.dataDir, 'secret.key');
  await mkdir(config.dataDir, { recursive: true });
  try {
    // Fails when the file is there, so that two processes at once agree on the first one's key.
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex');
  if (key.length !== 32) throw unavailable(`${path} does not hold a key of 32 bytes.`);
  return key;
}
