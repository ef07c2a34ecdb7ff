import { avoidTableScans } from '../db/avoid-table-scans.ts'
import type { Deps } from '../deps.ts'
import { removeForGood } from '../storage/remove-for-good.ts'
import type { Storage } from '../storage/storage.ts'
import { countOverdue, lookAtFiles, markPurged } from './purge-queries.ts'
import { recheckFiles } from './recheck-files.ts'

const batchSize = 100

/**
 * A long run takes this many batches of the files that have been due longest, then as many of the
 * files that became due last, and so on. A hundred batches take some seconds to a minute.
 */
const batchesInARow = 100

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
 * A run takes turns: some batches of the files that have been due longest, then some of the files
 * that became due last. So a file that becomes due now does not wait for millions that were due
 * before it.
 *
 * A removal that fails is tried again without limit, and the waits between the tries grow. If all
 * removals of a batch fail, the store probably cannot be reached. Then the rest of its files wait
 * for the next run.
 * @param inARow how many batches it takes from one end before it turns to the other.
 * @returns how many files lost their bytes, and how many removals failed and will be tried again.
 * If several runs happen at the same time, only one of them counts each file.
 */
export async function expireFiles(
  deps: ExpireDeps,
  { inARow = batchesInARow }: { inARow?: number } = {},
): Promise<Purge> {
  await recheckFiles(deps)
  const total = { purged: 0, failed: 0 }
  for (const storage of deps.stores.all) await expireStore(deps, storage, inARow, total)
  return total
}

/** Purges what is due in a store, and adds to `total` what it did. */
async function expireStore(
  deps: ExpireDeps,
  storage: Storage,
  inARow: number,
  total: Purge,
): Promise<void> {
  let from: Date | undefined
  for (;;) {
    const longDue = await purgeBatches(deps, storage, { from, most: inARow }, total)
    if (longDue.end !== 'more') return
    from = longDue.until
    // Each time it begins at the newest file, so that it finds what became due since the last time.
    const lastDue = await purgeBatches(deps, storage, { lastFirst: true, most: inARow }, total)
    if (lastDue.end === 'away') return
  }
}

/** Which batches to purge. */
interface Batches {
  /** Whether the files that became due last come first. Otherwise the longest due come first. */
  lastFirst?: boolean
  /** If it is given, the files that come before this moment in that order are left out. */
  from?: Date | undefined
  /** At most this many batches. */
  most: number
}

/**
 * Purges files batch by batch, and adds to `total` what it did.
 * @returns why it ended: nothing is left, there may be more files (which come after `until` in this
 * order, or are due at that moment), or the store is away.
 */
async function purgeBatches(
  { clock, db, log }: ExpireDeps,
  storage: Storage,
  { lastFirst, from, most }: Batches,
  total: Purge,
): Promise<{ end: 'done' | 'more' | 'away'; until: Date | undefined }> {
  let until = from
  for (let batches = 0; batches < most; batches += 1) {
    // A batch begins where the one before ended. So it does not look again at the files before.
    const look = await lookAtFiles(db, {
      storage: storage.name,
      now: clock(),
      limit: batchSize,
      lastFirst,
      from: until,
    })
    const { claims } = look
    const keys = claims.map(({ storageKey }) => storageKey)
    const removed = await removeForGood(storage, keys)
    const gone = claims.filter(({ storageKey }) => removed.gone.has(storageKey))
    const count = claims.length - gone.length
    if (count > 0) {
      const told = { err: removed.fault, store: storage.name, count }
      log.error(told, 'bytes of files that are over could not be removed; they are tried again')
    }
    const ids = gone.map(({ id }) => id)
    total.purged += await markPurged(db, ids, clock())
    total.failed += count
    until = look.until
    if (claims.length > 0 && gone.length === 0) return { end: 'away', until }
    if (look.count < batchSize) return { end: 'done', until }
  }
  return { end: 'more', until }
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
