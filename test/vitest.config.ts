import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Real servers answer when they can; a test that hangs is cut here and nowhere else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: '.data/test-report.json' }]],
  },
});
