import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { findChromiumForTests } from './scripts/chromium.mjs'
import { hangTimeoutMs } from './tests/support/hang-timeout.ts'

const executablePath = await findChromiumForTests()
if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e`.')

/**
 * One story per file, in a real Chromium. Each test has its own server and database. No retries: a
 * flaky test has found a bug.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/support/run.ts',
  // Node runs TypeScript itself. By default, every worker would compile all sources with Babel.
  build: { external: ['**/*.ts'] },
  fullyParallel: true,
  // The bucket stories share a worker and come last by default, leaving others idle. The first
  // project starts first.
  projects: [
    { name: 'bucket', testMatch: 'bucket.spec.ts' },
    {
      name: 'stories',
      testIgnore: ['bucket.spec.ts', 'other-engines.spec.ts', 'pictures.spec.ts'],
    },
    { name: 'engines', testMatch: 'other-engines.spec.ts' },
    { name: 'pictures', testMatch: 'pictures.spec.ts' },
  ],
  workers: availableParallelism() + 2,
  retries: 0,
  forbidOnly: true,
  timeout: 5 * hangTimeoutMs,
  expect: { timeout: hangTimeoutMs },
  reporter: [['list'], ['./tests/e2e/support/slowest-reporter.ts']],
  use: {
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    trace: 'off',
    // 'only-on-failure' would take a screenshot of every test. A failure leaves the page's text
    // anyway; for more, `--trace on`.
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
        // Pages don't run long enough for optimized code to pay off.
        '--js-flags=--no-opt --no-maglev',
      ],
    },
  },
})
