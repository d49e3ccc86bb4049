import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { VERSION } from '../src/version.ts';

test('the defaults are those of the specification (spec §8)', () => {
  const config = readConfig({});
  expect(config.retrySchedule).toEqual([60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]);
  expect(config.deliveryTimeoutMs).toBe(10_000);
  expect(config.devEndpointOrigins).toEqual([]);
  expect(Object.isFrozen(config)).toBe(true);
});

test('durations can be shortened', () => {
  const config = readConfig({ RETRY_SCHEDULE: '1s, 2s,3m', DELIVERY_TIMEOUT: '250ms' });
  expect(config.retrySchedule).toEqual([1_000, 2_000, 180_000]);
  expect(config.deliveryTimeoutMs).toBe(250);
});

test('every fault is listed at once, by its variable, without its value', () => {
  const secret = 'not-32-bytes-but-secret';
  const read = () =>
    readConfig({ PORT: '70000', LOG_LEVEL: 'loud', SECRET_KEY: secret, RETRY_SCHEDULE: '1x' });
  expect(read).toThrow(/4 faults/);
  for (const name of ['PORT', 'LOG_LEVEL', 'SECRET_KEY', 'RETRY_SCHEDULE']) {
    expect(read).toThrow(new RegExp(`^  ${name}: `, 'm'));
  }
  expect(read).not.toThrow(secret);
});

describe.each([
  ['PORT', ['x', '-1', '65536', '1.5']],
  ['PUBLIC_URL', ['example.com', 'ftp://example.com', 'https://u:p@x.y', 'https://x.y/?q']],
  ['DATABASE_URL', ['mysql://x', 'localhost']],
  ['TEMPORAL_ADDRESS', ['localhost', 'http://localhost:7233', '127.0.0.1:99999']],
  ['SECRET_KEY', ['short', 'z'.repeat(64)]],
  ['RETRY_SCHEDULE', ['0s', '1', ',']],
  ['DELIVERY_TIMEOUT', ['0s', 'soon', '-1s', '999999999d']],
  ['IN_FLIGHT_PER_ENDPOINT', ['0', 'many']],
  ['DNS_SERVERS', ['bogus', '1.2.3', '127.0.0.1:99999']],
  ['DEV_ENDPOINT_ORIGINS', ['127.0.0.1:9000', 'http://127.0.0.1:9000/path']],
])('%s', (name, values) => {
  test.each(values)('refuses %s', (value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});

test('an empty variable is one that is not set', () => {
  expect(readConfig({ DATABASE_URL: '', PORT: '' })).toEqual(readConfig({}));
});

test('what is for development only is refused in production', () => {
  const env = { NODE_ENV: 'production', DEV_ENDPOINT_ORIGINS: 'http://127.0.0.1:9000' };
  expect(() => readConfig(env)).toThrow('DEV_ENDPOINT_ORIGINS');
  expect(() => readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow('NODE_TLS_REJECT');
});

test('a key is 32 bytes, in hexadecimal or base64', () => {
  const key = Buffer.alloc(32, 5);
  expect(readConfig({ SECRET_KEY: key.toString('hex') }).secretKey).toEqual(key);
  expect(readConfig({ SECRET_KEY: key.toString('base64') }).secretKey).toEqual(key);
});

test('the version is that of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
});
