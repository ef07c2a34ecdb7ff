import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-for-good.ts'
import type { Storage } from '../storage/storage.ts'
import { claimFilesToPurge, countOverdue, markPurged } from './purge-queries.ts'

const batchSize = 100

type ExpireDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

type Purge = {
  purged: number
  failed: number
}

/**
 * Removes the bytes of files that were deleted, or whose links have ended and cannot be renewed
 * (design §4). It reserves a batch of files, removes their bytes (missing bytes count as removed),
 * asks storage whether any are left, and records the answer. If it is interrupted anywhere, a later
 * run continues. Several servers share the work. The links themselves end by their dates, without
 * this job.
 *
 * A removal that fails is tried again without limit, and the waits between the tries grow. If all
 * removals of a batch fail, the store probably cannot be reached. Then the rest of its files wait
 * for the next run.
 * @returns how many files lost their bytes, and how many removals failed and will be tried again.
 * Runs at the same time count each file once.
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
  let from: Date | undefined
  for (;;) {
    const claims = { storage: storage.name, now: clock(), limit: batchSize, from }
    const batch = await claimFilesToPurge(db, claims)
    const keys = batch.map(({ storageKey }) => storageKey)
    const removed = await removeForGood(storage, keys)
    const gone = batch.filter(({ storageKey }) => removed.gone.has(storageKey))
    const count = batch.length - gone.length
    if (count > 0) {
      const told = { err: removed.fault, store: storage.name, count }
      log.error(told, 'bytes of files that are over could not be removed; they are tried again')
    }
    const ids = gone.map(({ id }) => id)
    purged += await markPurged(db, ids, clock())
    failed += count
    if (batch.length < batchSize || gone.length === 0) return { purged, failed }
    // The next batch begins where this one ended. So it does not look again at the files before.
    from = new Date(Math.max(...batch.map(({ expiresAt }) => expiresAt.getTime())))
  }
}

/**
 * Tells the operator, in the log, how many files still have stored bytes 15 minutes after the bytes
 * should have been removed. The reason is a store that cannot be reached or refuses removals, or
 * that no server ran.
 * @returns how many such files there are.
 */
export async function reportOverdue({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  const { count, since } = await countOverdue(db, clock())
  if (count > 0) log.error({ count, since }, 'bytes of files that are over are still in storage')
  return count
}
