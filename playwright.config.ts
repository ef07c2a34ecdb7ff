import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { findChromiumForStories } from './scripts/chromium.mjs'
import { hangMs } from './tests/support/hang.ts'

const executablePath = await findChromiumForStories()
if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e`.')

/**
 * Each file in tests/e2e tests one story of the product in a real Chromium. Each test has its own
 * server and database. No test is retried: a test that fails only sometimes has found a fault.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/support/run.ts',
  fullyParallel: true,
  // The stories with a bucket share one worker and its S3 server. Playwright would play them after
  // all others, while the other workers have nothing to do. Those of the first project begin first.
  projects: [
    { name: 'bucket', testMatch: 'bucket.spec.ts' },
    { name: 'stories', testIgnore: 'bucket.spec.ts' },
  ],
  workers: availableParallelism() + 1,
  retries: 0,
  forbidOnly: true,
  timeout: 5 * hangMs,
  expect: { timeout: hangMs },
  reporter: [['list'], ['./tests/e2e/support/slowest-reporter.ts']],
  use: {
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    trace: 'off',
    // With 'only-on-failure', Playwright would take a picture of the page at the end of every test.
    // A failed test leaves the text of its page in any case. For more, run it with `--trace on`.
    screenshot: 'off',
    launchOptions: {
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
