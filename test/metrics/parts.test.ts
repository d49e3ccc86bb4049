import { expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { readSdkMetrics } from '../../src/metrics/sdk-metrics.ts';
import { resultLabel } from '../../src/metrics/result-label.ts';
import { share } from '../../src/metrics/share.ts';
import { within } from '../../src/within.ts';
import { parseScrape } from './exposition.ts';

test.each([
  [null, 204, '2xx'],
  ['http_status', 304, '3xx'],
  ['http_status', 404, '4xx'],
  ['http_status', 503, '5xx'],
  ['http_status', 799, 'http_status'],
  ['redirect', 302, 'redirect'],
  ['timeout', null, 'timeout'],
  // The answer began well and then broke off.
  ['connection_reset', 200, 'connection_reset'],
] as const)('an attempt with %s and %s is labelled %s', (error, statusCode, label) => {
  expect(resultLabel(error, statusCode)).toBe(label);
});

test('who asks at the same time, or soon after, shares one answer, be it a failure', async () => {
  let asked = 0;
  const ask = share(async () => {
    asked += 1;
    await Promise.resolve();
    if (asked === 2) throw new Error('away');
    return asked;
  }, 20);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(await ask()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await expect(Promise.all([ask(), ask()])).rejects.toThrow('away');
  await expect(ask()).rejects.toThrow('away');
  expect(asked).toBe(2);
});

test('what takes too long is given up', async () => {
  await expect(within(10, new Promise(() => undefined))).rejects.toThrow('within 10 ms');
  await expect(within(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await within(1_000, Promise.resolve('yes'))).toBe('yes');
});

test('when neither the SDK nor the database has an answer, ours are there and say so', async () => {
  const metrics = createMetrics({
    readCounts: () => Promise.reject(new Error('away')),
    // Nothing listens on this port.
    readSdk: () => readSdkMetrics(1, 1_000),
  });
  const scraped = parseScrape(await metrics.text());
  expect(scraped.value('lead_events_database_up')).toBe(0);
  expect(scraped.value('lead_events_sdk_metrics_up')).toBe(0);
  expect(scraped.value('process_start_time_seconds')).toBeGreaterThan(0);
});

test.each([
  ['a name twice', '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na{x="1"} 2\n'],
  ['a series twice', '# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n'],
  ['a type twice', '# TYPE a gauge\n# TYPE a gauge\na 1\n'],
  ['no type', 'a 1\n'],
  ['no number', '# TYPE a gauge\na one\n'],
  ['an unquoted label', '# TYPE a gauge\na{x=1} 1\n'],
  ['an end without a line break', '# TYPE a gauge\na 1'],
])('a scrape with %s is not taken', (_fault, text) => {
  expect(() => parseScrape(text)).toThrow();
});
