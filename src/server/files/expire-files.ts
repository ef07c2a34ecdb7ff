import type { Deps } from '../deps.ts'
import type { Storage } from '../storage/storage.ts'
import { claimFilesToPurge, markPurged } from './queries.ts'

const batchSize = 100

type ExpireDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

interface Purge {
  purged: number
  failed: number
}

/**
 * Removes the bytes of files that were deleted, or whose links have ended and cannot be renewed
 * (design §4). It reserves a batch of files, removes their bytes (missing bytes count as removed)
 * and records that. If it is interrupted anywhere, the next run continues. Several servers share
 * the work. The links themselves end by their dates, without this job.
 * @returns how many files lost their bytes, and how many removals failed and will be tried again.
 */
export async function expireFiles(deps: ExpireDeps): Promise<Purge> {
  const total = { purged: 0, failed: 0 }
  for (const storage of deps.stores.all) {
    const { purged, failed } = await expireStore(deps, storage)
    total.purged += purged
    total.failed += failed
  }
  return total
}

async function expireStore({ clock, db, log }: ExpireDeps, storage: Storage): Promise<Purge> {
  let purged = 0
  let failed = 0
  for (;;) {
    const batch = await claimFilesToPurge(db, storage.name, clock(), batchSize)
    const removals = await Promise.allSettled(batch.map((file) => storage.remove(file.storageKey)))
    const gone = batch.filter((_, index) => removals[index]?.status === 'fulfilled')
    for (const removal of removals) {
      if (removal.status === 'rejected') {
        log.error({ err: removal.reason }, 'bytes of an expired file could not be removed')
      }
    }
    await markPurged(
      db,
      gone.map(({ id }) => id),
      clock(),
    )
    purged += gone.length
    failed += batch.length - gone.length
    if (batch.length < batchSize) return { purged, failed }
  }
}
