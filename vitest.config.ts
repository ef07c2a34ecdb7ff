import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import FileOrder from './tests/support/file-order.ts'
import { keepFilesInMemory } from './tests/support/files-in-memory.ts'
import { hangMs } from './tests/support/hang.ts'

keepFilesInMemory()

const onS3 = ['src/server/storage/s3/*.test.ts', 'tests/s3*.test.ts']

/**
 * The options of all projects. Without isolation, a worker runs many test files and imports each
 * module only once. So every test must undo what it changes, such as faked timers. There is one
 * worker more than there are cores, because many tests wait for Postgres, the disk or a process.
 */
const shared = {
  isolate: false,
  testTimeout: 5 * hangMs,
  hookTimeout: hangMs,
  expect: { poll: { timeout: hangMs } },
}

/**
 * There are three projects. `unit` needs nothing but Node, `server` needs a real database, and `s3`
 * also needs a real S3 server. Playwright runs the browser tests in tests/e2e.
 */
export default defineConfig({
  test: {
    reporters: [
      'default',
      './tests/support/skipped-reporter.ts',
      './tests/support/slowest-reporter.ts',
    ],
    sequence: { sequencer: FileOrder },
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/shared/**/*.test.ts', 'src/web/**/*.test.{ts,tsx}'],
          setupFiles: 'tests/support/clear-page.ts',
          // This zone has daylight saving time. So a rule that counts in local days fails its test.
          env: { TZ: 'America/New_York' },
        },
      },
      {
        test: {
          ...shared,
          name: 'server',
          include: ['src/server/**/*.test.ts', 'tests/{,attacks/,faults/}*.test.ts'],
          exclude: onS3,
          globalSetup: 'tests/support/global-setup.ts',
        },
      },
      {
        test: {
          ...shared,
          name: 's3',
          include: onS3,
          globalSetup: ['tests/support/global-setup.ts', 'tests/support/s3-setup.ts'],
        },
      },
    ],
  },
})
