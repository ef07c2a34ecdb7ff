import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-stored.ts'
import { claimDueFiles, countOverdue, markPurged } from './purge-queries.ts'

const batchSize = 100

/**
 * Purges files that were deleted, or whose links have ended and can't be renewed (design §4). It
 * claims a batch, removes the bytes, verifies that storage has none left, and records it. It can be
 * interrupted anywhere, and several servers share the work.
 *
 * Retries failed removals without limit, with backoff. If all of a batch fail, the store's others
 * wait for the next run.
 * @returns how many files were purged, and how many removals failed.
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

/** Logs how many purges are 15 minutes overdue. Returns it. */
export async function reportOverdue({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  const { count, since } = await countOverdue(db, clock())
  if (count > 0) log.error({ count, since }, 'bytes of expired files are still in storage')
  return count
}
