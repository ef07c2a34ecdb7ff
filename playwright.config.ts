import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { findChromiumForStories } from './scripts/chromium.mjs'
import { hangMs } from './tests/support/hang.ts'

const executablePath = await findChromiumForStories()
if (executablePath === null) throw new Error('There is no Chromium: run `npm run e2e`.')

/**
 * One file a story, in a real Chromium, each test with a server and a database of its own. Nothing
 * is tried twice: a test that passes now and then has found something.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/support/run.ts',
  fullyParallel: true,
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
    // With 'only-on-failure', Playwright takes a picture of every page at the end of every story. A
    // failed story leaves its page as text in any case; for more, add `--trace on`.
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
