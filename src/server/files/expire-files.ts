import type { Deps } from '../deps.ts'
import { removePermanently } from '../storage/remove-stored.ts'
import { claimDueFiles, countOverdue, markPurged } from './purge-queries.ts'

const batchSize = 100

/**
 * Purges deleted files, and files whose links have ended and can't be renewed (design §4). For each
 * batch of claimed files, removes the bytes, verifies that they are gone and records the purge.
 * Safe to interrupt at any point, and to run on several servers at once.
 *
 * Retries failed removals without limit, with backoff. If a whole batch fails, the store's
 * remaining files wait for the next run.
 * @returns the number of purged files and of failed removals.
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
      const options = { storage: storage.name, now: clock(), limit: batchSize }
      const claims = await claimDueFiles(db, options)
      const removalResult = await removePermanently(
        storage,
        claims.map(({ storageKey }) => storageKey),
      )
      const purgedClaims = claims.filter(({ storageKey }) =>
        removalResult.removedKeys.has(storageKey),
      )
      const ids = purgedClaims.map(({ id }) => id)
      purged += await markPurged(db, ids, clock())
      const failedCount = claims.length - purgedClaims.length
      if (failedCount > 0) {
        failed += failedCount
        const details = { err: removalResult.firstError, store: storage.name, count: failedCount }
        log.error(details, 'bytes of expired files could not be removed; this will be retried')
      }
      if (claims.length < batchSize || purgedClaims.length === 0) break
    }
  }
  return { purged, failed }
}

/** Logs and returns the number of purges that are at least 15 minutes overdue. */
export async function reportOverdue({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  const { count, since } = await countOverdue(db, clock())
  if (count > 0) log.error({ count, since }, 'bytes of expired files are still in storage')
  return count
}
