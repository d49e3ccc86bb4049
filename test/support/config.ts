import { readConfig, type Config } from '../../src/config.ts';

/** A configuration for tests; the environment of the person who runs them does not leak in. */
export function testConfig(env: Record<string, string> = {}): Config {
  return readConfig({ LOG_LEVEL: 'silent', ...env });
}

/** The key under which test databases hold their secrets. */
export const TEST_KEY = Buffer.alloc(32, 7);

/** Where links in test payloads and mails lead. */
export const PUBLIC_URL = 'https://app.example.com';
