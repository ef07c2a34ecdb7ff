import type { Logger } from 'pino'
import { idleUploadTimeoutMs, slotTimeoutMs } from '../../shared/rules/files/retention.ts'
import { fullness } from '../../shared/rules/files/storage-cap.ts'
import { largestFileSize } from '../../shared/rules/tiers/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { removePermanently } from '../storage/remove-stored.ts'
import type { Storage } from '../storage/storage.ts'
import { resetFutureActivity, sumStored } from './queries.ts'
import {
  claimRemovals,
  completeRemovals,
  countOverdueRemovals,
  type EndedUpload,
  endIdleUploads,
  endUploads,
} from './removal-queries.ts'

const batchSize = 100

/**
 * Ends an upload and removes its bytes. A job retries failed removals.
 * @throws {AppError} UPLOAD_NOT_FOUND if the caller has no such open upload.
 */
export async function abortUpload(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  storageKey: string,
  log: Logger,
): Promise<void> {
  const endedUploads = await endUploads(db, ownerId, [storageKey], clock())
  if (endedUploads.length === 0) throw new AppError('UPLOAD_NOT_FOUND')
  await removeBytes({ clock, db, log, stores }, endedUploads)
}

/**
 * Ends uploads that have been idle for 24 hours, or for 15 minutes while space is low, longest idle
 * first, and removes their bytes.
 * @returns the number of ended uploads.
 */
export async function sweepUploads(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'settings' | 'stores'>,
): Promise<number> {
  const { clock, db } = deps
  await resetFutureActivity(db, clock())
  for (let endedCount = 0; ; ) {
    const now = clock()
    const retentionMs = (await isSpaceLow(deps)) ? slotTimeoutMs : idleUploadTimeoutMs
    const before = new Date(now.getTime() - retentionMs)
    const idleUploads = await endIdleUploads(db, { before, now, limit: batchSize })
    await removeBytes(deps, idleUploads)
    endedCount += idleUploads.length
    if (idleUploads.length < batchSize) return endedCount
  }
}

/**
 * True if a file of the largest allowed size wouldn't fit, or the storage cap has nearly been
 * reached.
 */
async function isSpaceLow({
  db,
  settings,
  stores,
}: Pick<Deps, 'db' | 'settings' | 'stores'>): Promise<boolean> {
  const { cap, limits } = await settings.current()
  if (!(await stores.current.hasSpaceFor(largestFileSize(limits)))) return true
  if (cap.maxStored === null) return false
  const { files, uploads } = await sumStored(db)
  return fullness(files + uploads, cap) !== 'ok'
}

type RemovalDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/**
 * Removes the bytes of uploads that have just ended. Never rejects; `retryRemovals` retries failed
 * and interrupted removals.
 */
export async function removeBytes(
  deps: RemovalDeps,
  uploads: readonly EndedUpload[],
): Promise<void> {
  for (const [store, endedUploads] of Map.groupBy(uploads, ({ storage }) => storage)) {
    try {
      const { removedKeys, firstError: cause } = await removeFrom(
        deps,
        deps.stores.get(store),
        endedUploads,
      )
      if (removedKeys.size < endedUploads.length) throw cause
    } catch (error) {
      const keys = endedUploads.map(({ storageKey }) => storageKey)
      deps.log.warn({ err: error, store, keys }, 'Cannot remove the bytes of ended uploads yet')
    }
  }
}

/**
 * Removes the bytes of due `removals`: ended uploads whose removal failed, objects of deleted
 * users, and test uploads (`startTestUpload`). Retries without limit, with backoff. If a whole
 * batch fails, the store's remaining removals wait for the next run. Safe to run on several servers
 * at once.
 * @param maxRemovals the maximum number of removals per store in one run.
 */
export async function retryRemovals(
  deps: RemovalDeps,
  maxRemovals = Number.POSITIVE_INFINITY,
): Promise<{ removed: number; failed: number }> {
  const { clock, db, log } = deps
  const total = { removed: 0, failed: 0 }
  for (const storage of deps.stores.all) {
    for (let remaining = maxRemovals; remaining > 0; ) {
      const limit = Math.min(batchSize, remaining)
      const batch = await claimRemovals(db, { storage: storage.name, now: clock(), limit })
      const { removedKeys, firstError: cause } = await removeFrom(deps, storage, batch)
      const failed = batch.length - removedKeys.size
      if (failed > 0) {
        const details = { err: cause, store: storage.name, count: failed }
        log.error(details, 'Cannot remove bytes that are no longer needed; will try again')
      }
      total.removed += removedKeys.size
      total.failed += failed
      if (batch.length < limit || removedKeys.size === 0) break
      remaining -= batch.length
    }
  }
  return total
}

async function removeFrom(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  storage: Storage,
  uploads: readonly EndedUpload[],
) {
  const removalResult = await removePermanently(
    storage,
    uploads.map(({ storageKey }) => storageKey),
  )
  await completeRemovals(db, removalResult.removedKeys, clock())
  return removalResult
}

/**
 * Logs and returns the number of objects still stored at least 15 minutes after their removal was
 * due.
 */
export async function reportOverdueRemovals({
  clock,
  db,
  log,
}: Pick<Deps, 'clock' | 'db' | 'log'>): Promise<number> {
  const { count, since } = await countOverdueRemovals(db, clock())
  if (count > 0) log.error({ count, since }, 'Bytes that are no longer needed are still in storage')
  return count
}
