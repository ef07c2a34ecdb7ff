import { expect } from 'vitest'
import { openDirectDb } from '../faults/direct-db.ts'
import {
  checkOpenUploads,
  checkPurged,
  checkRemovalsDone,
  checkStoredFiles,
} from '../faults/invariants.ts'
import { expectStorageMatches, runJobs } from '../faults/jobs.ts'
import type { StoredBytes } from '../faults/stored-bytes.ts'
import { serveApp } from './app-server.ts'
import { testClock } from './test-clock.ts'

const dayMs = 24 * 60 * 60_000
/** Days after which abandoned uploads have ended but no file has. */
const uploadsOver = [1.5, 2.5]
/** Days after which everything has ended. */
const allOver = [40, 41]

/** The state left by stopped servers. */
interface Left {
  databaseUrl: string
  dataDir: string
  /** The bucket's settings, if files are stored there. */
  env?: Record<string, string>
  stored: StoredBytes
}

/**
 * Runs the jobs days later. Asserts that database and storage agree and that ended files and
 * uploads are deleted.
 * @throws an error that names what is missing or left over.
 */
export async function expectConsistentDaysLater({ databaseUrl, dataDir, env = {}, stored }: Left) {
  const clock = testClock()
  const today = clock()
  const directDb = openDirectDb(databaseUrl)
  const database = { url: databaseUrl, drop: async () => {} }
  const app = await serveApp(database, { dataDir, env, clock })
  const passTo = async (days: readonly number[]) => {
    // Twice, because failed deletions are retried.
    for (const day of days) {
      clock.set(new Date(today.getTime() + day * dayMs))
      await runJobs(app.deps)
      await checkPurged(directDb, stored)
      await expectStorageMatches(app.deps)
    }
    await checkStoredFiles(directDb, stored)
    await checkOpenUploads(directDb, stored)
    await checkRemovalsDone(directDb)
  }
  await passTo(uploadsOver)
  expect((await stored.sealed()).size).toBeGreaterThan(0)
  await passTo(allOver)
  expect([...(await stored.sealed()).keys()]).toEqual([])
  await app.close()
  await directDb.end()
}
