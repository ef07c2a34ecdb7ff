import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-for-good.ts'
import type { Storage } from '../storage/storage.ts'
import { claimRemovals, countOverdueRemovals, endRemovals } from './removal-queries.ts'

const batchSize = 100

type RetryDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

interface Retry {
  removed: number
  failed: number
}

/**
 * Removes the bytes that `removals` lists: those of ended uploads whose removal failed or was
 * interrupted, those of deleted users, and those of test uploads (`startTestUpload`). A removal
 * that fails is tried again without limit, and the waits between the tries grow. If all removals of
 * a batch fail, the store probably cannot be reached. Then the other removals wait for the next
 * run. Several servers share the work.
 * @param atMost how many removals this run tries in each store at most.
 * @returns how many removals succeeded, and how many failed and will be tried again.
 */
export async function retryRemovals(
  deps: RetryDeps,
  atMost = Number.POSITIVE_INFINITY,
): Promise<Retry> {
  const total = { removed: 0, failed: 0 }
  for (const storage of deps.stores.all) {
    const { removed, failed } = await retryStore(deps, storage, atMost)
    total.removed += removed
    total.failed += failed
  }
  return total
}

async function retryStore(
  { clock, db, log }: RetryDeps,
  storage: Storage,
  atMost: number,
): Promise<Retry> {
  let removed = 0
  let failed = 0
  for (;;) {
    const claims = {
      storage: storage.name,
      now: clock(),
      limit: Math.min(batchSize, atMost - removed - failed),
    }
    const batch = await claimRemovals(db, claims)
    const keys = batch.map(({ storageKey }) => storageKey)
    const { gone, fault } = await removeForGood(storage, keys)
    await endRemovals(db, gone, clock())
    const count = batch.length - gone.size
    if (count > 0) {
      const told = { err: fault, store: storage.name, count }
      log.error(told, 'bytes that are no longer needed could not be removed; they are tried again')
    }
    removed += gone.size
    failed += count
    const isDone = batch.length < batchSize || removed + failed >= atMost
    if (isDone || gone.size === 0) return { removed, failed }
  }
}

/**
 * Tells the operator, in the log, how many of the objects that `removals` lists are still stored 15
 * minutes after they should have been removed. The reason is that a store cannot be reached or
 * refuses removals, or that no server ran.
 * @returns how many such objects there are.
 */
export async function reportOverdueRemovals({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  const { count, since } = await countOverdueRemovals(db, clock())
  if (count > 0) log.error({ count, since }, 'bytes that are no longer needed are still in storage')
  return count
}
