import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-stored.ts'
import { claimDueFiles, countOverdue, markPurged } from './purge-queries.ts'

const batchSize = 100

/**
 * Removes the bytes of files that were deleted, or whose links have ended and cannot be renewed
 * (design §4). It claims a batch of files, removes their bytes (missing bytes count as removed),
 * asks storage whether any are left, and records the answer. If it is interrupted anywhere, a later
 * run continues. Several servers share the work. The links themselves end by their dates, without
 * this job.
 *
 * A removal that fails is tried again without limit, and the waits between the tries grow. If all
 * removals of a batch fail, the store probably cannot be reached, and its other files wait for the
 * next run.
 * @returns how many files lost their bytes, and how many removals failed and will be tried again.
 * If several runs happen at the same time, only one of them counts each file.
 */
export async function expireFiles({
  clock,
  db,
  log,
  stores,
}: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>): Promise<{ purged: number; failed: number }> {
  let [purged, failed] = [0, 0]
  for (const storage of stores.all) {
    for (;;) {
      const wanted = { storage: storage.name, now: clock(), limit: batchSize }
      const claims = await claimDueFiles(db, wanted)
      const removed = await removeForGood(
        storage,
        claims.map(({ storageKey }) => storageKey),
      )
      const gone = claims.filter(({ storageKey }) => removed.gone.has(storageKey))
      const ids = gone.map(({ id }) => id)
      purged += await markPurged(db, ids, clock())
      const left = claims.length - gone.length
      if (left > 0) {
        failed += left
        const facts = { err: removed.fault, store: storage.name, count: left }
        log.error(facts, 'bytes of expired files could not be removed; the removal is tried again')
      }
      if (claims.length < batchSize || gone.length === 0) break
    }
  }
  return { purged, failed }
}

/**
 * Logs how many files still have stored bytes 15 minutes after the bytes should have been removed,
 * because a store cannot be reached or refuses removals, or no server ran.
 * @returns how many such files there are.
 */
export async function reportOverdue({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  const { count, since } = await countOverdue(db, clock())
  if (count > 0) log.error({ count, since }, 'bytes of expired files are still in storage')
  return count
}
