import { expect } from 'vitest'
import { openDirectDb } from '../faults/direct-db.ts'
import {
  checkOpenUploads,
  checkPurged,
  checkRemovalsDone,
  checkStoredFiles,
} from '../faults/invariants.ts'
import { expectStorageMatches, runJobs } from '../faults/jobs.ts'
import type { StorageReader } from '../faults/storage-reader.ts'
import { serveApp } from './app-server.ts'
import { testClock } from './test-clock.ts'

const dayMs = 24 * 60 * 60_000
/**
 * The jobs run after each of these numbers of days. By then, abandoned uploads have ended, but no
 * file has expired yet.
 */
const daysUntilUploadsEnd = [1.5, 2.5]
/**
 * The jobs also run this many days from now, when all files have expired and all uploads have
 * ended.
 */
const daysUntilAllEnds = [40, 41]

/** Everything that stopped servers have left behind. */
interface ServerState {
  databaseUrl: string
  dataDir: string
  /** The bucket's settings as environment variables. Omitted if there is no bucket. */
  env?: Record<string, string>
  storageReader: StorageReader
}

/**
 * Runs the jobs as if days had passed. Asserts that the database and storage agree, and that
 * expired files and ended uploads have been deleted.
 * @throws an error that says what is missing or left over.
 */
export async function expectConsistentDaysLater({
  databaseUrl,
  dataDir,
  env = {},
  storageReader,
}: ServerState) {
  const clock = testClock()
  const today = clock()
  const directDb = openDirectDb(databaseUrl)
  const database = { url: databaseUrl, drop: async () => {} }
  const app = await serveApp(database, { dataDir, env, clock })
  const runJobsAfter = async (days: readonly number[]) => {
    // Run the jobs on two days, because the second run retries failed deletions.
    for (const day of days) {
      clock.set(new Date(today.getTime() + day * dayMs))
      await runJobs(app.deps)
      await checkPurged(directDb, storageReader)
      await expectStorageMatches(app.deps)
    }
    await checkStoredFiles(directDb, storageReader)
    await checkOpenUploads(directDb, storageReader)
    await checkRemovalsDone(directDb)
  }
  await runJobsAfter(daysUntilUploadsEnd)
  expect((await storageReader.sealedSizes()).size).toBeGreaterThan(0)
  await runJobsAfter(daysUntilAllEnds)
  expect([...(await storageReader.sealedSizes()).keys()]).toEqual([])
  await app.close()
  await directDb.end()
}
