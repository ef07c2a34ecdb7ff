import { defineConfig } from 'vitest/config'

/**
 * Two projects: `unit` needs nothing but Node, `server` runs against a real database.
 * Browser tests (tests/e2e) are Playwright's.
 */
export default defineConfig({
  test: {
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
          include: ['src/server/**/*.test.ts', 'tests/*.test.ts'],
          globalSetup: 'tests/support/global-setup.ts',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
