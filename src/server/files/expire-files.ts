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
 * Removes the bytes of files that are over (design §4). It claims a batch, removes the bytes
 * (missing bytes count as removed) and records that they are gone. If it is cut off anywhere, the
 * next run continues; several servers share the work. The links have ended before, by their dates.
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
