import { defineConfig } from 'vitest/config'

const onS3 = ['src/server/storage/s3*.test.ts', 'tests/s3*.test.ts']

/**
 * Three projects: `unit` needs nothing but Node, `server` runs against a real database, `s3` against
 * a real S3 server too.
 * Browser tests (tests/e2e) are Playwright's.
 */
export default defineConfig({
  test: {
    reporters: ['default', './tests/support/skipped-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/shared/**/*.test.ts', 'src/web/**/*.test.{ts,tsx}'],
          // A zone with daylight saving time, so that a rule that reckons in local days fails.
          env: { TZ: 'America/New_York' },
        },
      },
      {
        test: {
          name: 'server',
          include: ['src/server/**/*.test.ts', 'tests/*.test.ts', 'tests/attacks/*.test.ts'],
          exclude: onS3,
          globalSetup: 'tests/support/global-setup.ts',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 's3',
          include: onS3,
          globalSetup: ['tests/support/global-setup.ts', 'tests/support/s3-setup.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
