import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import FileOrder from './tests/support/file-order.ts'
import { keepTempFilesInMemory } from './tests/support/files-in-memory.ts'
import { hangTimeoutMs } from './tests/support/hang-timeout.ts'

keepTempFilesInMemory()

const onS3 = ['src/server/storage/s3/*.test.ts', 'tests/s3*.test.ts']

/**
 * Without isolation a worker imports each module once for many files, so tests must undo what they
 * change. Two workers more than cores, because many tests wait for I/O.
 */
const shared = {
  isolate: false,
  testTimeout: 5 * hangTimeoutMs,
  hookTimeout: hangTimeoutMs,
  expect: { poll: { timeout: hangTimeoutMs } },
}

/**
 * `unit` needs only Node, `server` a database, `s3` also an S3 server. Playwright runs tests/e2e.
 */
export default defineConfig({
  test: {
    reporters: [
      'default',
      './tests/support/skipped-reporter.ts',
      './tests/support/slowest-reporter.ts',
    ],
    sequence: { sequencer: FileOrder },
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/shared/**/*.test.ts', 'src/web/**/*.test.{ts,tsx}'],
          setupFiles: 'tests/support/clear-page.ts',
          // A zone with daylight saving time, to catch rules that count local days.
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
