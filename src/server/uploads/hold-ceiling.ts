import type { Db } from '../db/db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { OpenedUpload } from './prepared-queries.ts'
import {
  deleteUpload,
  lockAllUploads,
  lockOwner,
  placeHeldMs,
  sumUnfinished,
  takeIdleUploads,
  type Upload,
} from './queries.ts'
import type { EndedUpload } from './removal-queries.ts'
import { removeBytes } from './remove-bytes.ts'
import { accountCeilingBytes, chargeOf, instanceCeilingBytes } from './upload-ceilings.ts'

const batchSize = 10

type CeilingDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/**
 * Keeps an owner without a limit of files below the ceiling of unconfirmed bytes.
 *
 * Up to half the ceiling the owner is not locked. `upload.unfinished` misses uploads that start at
 * the same moment. But a server starts at most 10 in parallel, one for each database connection,
 * and each has at most 1 GiB. They fit into the other half.
 * @throws {AppError} UPLOADS_UNFINISHED; the new upload has then been removed.
 */
export async function holdToAccountCeiling(deps: CeilingDeps, upload: OpenedUpload): Promise<void> {
  if (upload.unfinished + chargeOf(upload.size) <= accountCeilingBytes / 2) return
  const { ownerId } = upload
  const fits = await makeFit(deps, upload, {
    ceiling: accountCeilingBytes,
    of: { ownerId },
    lock: (tx) => lockOwner(tx, ownerId),
  })
  if (!fits) throw new AppError('UPLOADS_UNFINISHED')
}

/**
 * Keeps all accounts together below the ceiling of the instance. Above half of it, only one start
 * at a time is checked.
 * @param total an estimate of the bytes of all unconfirmed uploads. It is too high rather than too
 * low.
 * @throws {AppError} STORAGE_FULL; the new upload has then been removed.
 */
export async function holdToInstanceCeiling(
  deps: CeilingDeps,
  upload: Upload,
  total: number,
  ceiling = instanceCeilingBytes,
): Promise<void> {
  if (total <= ceiling / 2) return
  const fits = await makeFit(deps, upload, { ceiling, of: {}, lock: lockAllUploads })
  if (!fits) throw new AppError('STORAGE_FULL')
}

interface Ceiling {
  /** How many bytes unconfirmed uploads may have together. */
  ceiling: number
  /** The owner whose uploads count. If it is left out, all uploads count. */
  of: Partial<Pick<Upload, 'ownerId'>>
  /** Takes the lock that lets only one start at a time count. */
  lock(tx: Db): Promise<unknown>
}

/**
 * Ends uploads that were idle for 15 minutes, the longest idle first, until a new upload fits below
 * the ceiling. If ending all of them would not suffice, they stay, the new upload is removed, and
 * the result is false.
 */
async function makeFit(
  deps: CeilingDeps,
  upload: Upload,
  { ceiling, of, lock }: Ceiling,
): Promise<boolean> {
  const { clock, db } = deps
  const now = clock()
  const idleBefore = new Date(now.getTime() - placeHeldMs)
  const ended: EndedUpload[] = []
  const fits = await db.transaction(async (tx) => {
    await lock(tx)
    let over = (await sumUnfinished(tx, of)) - ceiling
    if (over > 0 && (await sumUnfinished(tx, { ...of, idleBefore })) < over) {
      await deleteUpload(tx, upload.ownerId, upload.storageKey, now)
      return false
    }
    while (over > 0) {
      const taken = await takeIdleUploads(tx, { before: idleBefore, now, limit: batchSize, ...of })
      // The remaining uploads are no longer idle: their owners have just resumed them.
      if (taken.length === 0) throw new AppError('UNAVAILABLE')
      ended.push(...taken)
      over = (await sumUnfinished(tx, of)) - ceiling
    }
    return true
  })
  await removeBytes(deps, ended)
  return fits
}
