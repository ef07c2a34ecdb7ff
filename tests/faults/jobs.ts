import { removals } from '../../src/server/db/schema.ts'
import type { Deps } from '../../src/server/deps.ts'
import { expireFiles } from '../../src/server/files/expire-files.ts'
import { compareStorage } from '../../src/server/jobs/compare-storage.ts'
import { retryRemovals } from '../../src/server/uploads/retry-removals.ts'
import { sweepUploads } from '../../src/server/uploads/sweep-uploads.ts'

/** Runs the jobs that end files and uploads and remove their bytes. */
export async function runJobs(deps: Deps): Promise<void> {
  await expireFiles(deps)
  await sweepUploads(deps)
  await retryRemovals(deps)
}

/**
 * Runs the job that compares storage with the database. Call it after the other jobs.
 * @throws an error if a row has no bytes, or bytes without a row could not be removed. On a disk
 * also if it found bytes without a row that were not waiting for their removal.
 */
export async function expectSame(deps: Deps): Promise<void> {
  // The jobs could not remove these bytes yet, for instance after a connection was cut. They try
  // again later, but the comparison may remove the bytes first.
  const waiting = await deps.db.$count(removals)
  const { removed, failed, missing } = await compareStorage(deps)
  // In a bucket, an upload may begin after the server has given it up. On a disk nothing can.
  const surplus = deps.config.s3 === null ? Math.max(0, removed - waiting) : 0
  if (surplus + failed + missing === 0) return
  throw new Error(
    `${removed} without a row, of which ${waiting} were known, ${failed} not removed, ${missing} missing`,
  )
}
