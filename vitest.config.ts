import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import FileOrder from './tests/support/file-order.ts'
import { keepFilesInMemory } from './tests/support/files-in-memory.ts'
import { hangMs } from './tests/support/hang.ts'

keepFilesInMemory()

const onS3 = ['src/server/storage/s3/*.test.ts', 'tests/s3*.test.ts']

/**
 * What all projects share. Files run in workers that are used again, so that what they import is
 * imported once a worker: a test leaves no timer faked and nothing replaced behind. There is one
 * worker more than there are cores, since many a test waits for Postgres, the disk or a process.
 */
const shared = {
  isolate: false,
  testTimeout: 5 * hangMs,
  hookTimeout: hangMs,
  expect: { poll: { timeout: hangMs } },
}

/**
 * Three projects: `unit` needs nothing but Node, `server` runs against a real database, `s3` against
 * a real S3 server too.
 * Browser tests (tests/e2e) are Playwright's.
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
          // A zone with daylight saving time, so that a rule that counts in local days fails.
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
