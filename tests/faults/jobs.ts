import type { Deps } from '../../src/server/deps.ts'
import { expireFiles } from '../../src/server/files/expire-files.ts'
import { compareStorage } from '../../src/server/jobs/compare-storage.ts'
import { retryRemovals, sweepUploads } from '../../src/server/uploads/end-uploads.ts'

/** Runs the jobs that end files and uploads and remove their bytes. */
export async function runJobs(deps: Deps): Promise<void> {
  await expireFiles(deps)
  await sweepUploads(deps)
  await retryRemovals(deps)
}

/**
 * Runs the job that compares storage with the database. Call it after the other jobs.
 * @throws an error if a row has no bytes, or bytes without a row could not be removed.
 */
export async function expectSame(deps: Deps): Promise<void> {
  const { removed, failed, missing } = await compareStorage(deps)
  if (failed + missing === 0) return
  throw new Error(
    `${removed} without a row were removed, ${failed} not, and ${missing} are missing`,
  )
}
