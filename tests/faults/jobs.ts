import { computeDigests } from '../../src/server/abuse/compute-digests.ts'
import type { Deps } from '../../src/server/deps.ts'
import { expireFiles } from '../../src/server/files/expire-files.ts'
import { compareStorage } from '../../src/server/jobs/compare-storage.ts'
import { retryRemovals, sweepUploads } from '../../src/server/uploads/end-uploads.ts'

export async function runJobs(deps: Deps): Promise<void> {
  await expireFiles(deps)
  await sweepUploads(deps)
  await retryRemovals(deps)
  // Archives of files in a bucket need the CRC-32s that this job computes.
  await computeDigests(deps)
}

/**
 * Compares storage with the database, and deletes orphaned bytes. Call it after the other jobs.
 * @throws if a file's bytes are missing, or if orphaned bytes couldn't be deleted.
 */
export async function expectStorageMatches(deps: Deps): Promise<void> {
  const { removed, failed, missing } = await compareStorage(deps)
  if (failed + missing === 0) return
  throw new Error(
    `${removed} without a row were removed, ${failed} not, and ${missing} are missing`,
  )
}
