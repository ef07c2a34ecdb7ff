import { avoidTableScans } from '../db/avoid-table-scans.ts'
import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-for-good.ts'
import type { Storage } from '../storage/storage.ts'
import { countOverdue, lookAtFiles, markPurged } from './purge-queries.ts'
import { recheckFiles } from './recheck-files.ts'

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
 * A run looks at the files whose bytes are due, and at the files whose links have ended since the
 * last run. If the owner can still renew a file, the next look at it is planned for the moment when
 * that is no longer possible.
 *
 * A removal that fails is tried again without limit, and the waits between the tries grow. If all
 * removals of a batch fail, the store probably cannot be reached. Then the rest of its files wait
 * for the next run.
 * @returns how many files lost their bytes, and how many removals failed and will be tried again.
 * If several runs happen at the same time, only one of them counts each file.
 */
export async function expireFiles(deps: ExpireDeps): Promise<Purge> {
  await recheckFiles(deps)
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
    const wanted = { storage: storage.name, now: clock(), limit: batchSize, from }
    const { claims, count: seen, until } = await lookAtFiles(db, wanted)
    const keys = claims.map(({ storageKey }) => storageKey)
    const removed = await removeForGood(storage, keys)
    const gone = claims.filter(({ storageKey }) => removed.gone.has(storageKey))
    const count = claims.length - gone.length
    if (count > 0) {
      const told = { err: removed.fault, store: storage.name, count }
      log.error(told, 'bytes of files that are over could not be removed; they are tried again')
    }
    const ids = gone.map(({ id }) => id)
    purged += await markPurged(db, ids, clock())
    failed += count
    if (seen < batchSize || (claims.length > 0 && gone.length === 0)) return { purged, failed }
    // The next batch begins where this one ended. So it does not look again at the files before.
    from = until
  }
}

/**
 * Tells the operator, in the log, how many files still have stored bytes 15 minutes after the bytes
 * should have been removed. The reason is that a store cannot be reached or refuses removals, or
 * that no server ran.
 * @returns how many such files there are.
 */
export async function reportOverdue({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  await recheckFiles({ db })
  const { count, since } = await db.transaction(async (tx) => {
    await avoidTableScans(tx)
    return countOverdue(tx, clock())
  })
  if (count > 0) log.error({ count, since }, 'bytes of files that are over are still in storage')
  return count
}
