import type { Db } from '../db/db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { OpenedUpload } from './prepared-queries.ts'
import {
  deleteUpload,
  lockAllUploads,
  lockOwner,
  placeHeldMs,
  type StoredUpload,
  sumUnfinished,
  takeIdleUploads,
  type Upload,
} from './queries.ts'
import { removeBytes } from './remove-bytes.ts'
import { accountCeilingBytes, chargeOf, instanceCeilingBytes } from './upload-ceilings.ts'

const batchSize = 10

type CeilingDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/**
 * Holds an owner whose files are not counted to the ceiling of unfinished bytes.
 *
 * The owner is locked only from half the ceiling on. What `upload.unfinished` does not know are
 * starts at the same moment, and those that a server makes at once (one for each of its 10 database
 * connections, of 1 GiB each) do not add up to the other half.
 * @throws {AppError} UPLOADS_UNFINISHED, and the upload is gone.
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
 * Holds all accounts together to the ceiling of the instance; beyond half of it starts wait for one
 * another.
 * @param total what all unfinished uploads count, too much rather than too little.
 * @throws {AppError} STORAGE_FULL, and the upload is gone.
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
  /** Bytes. */
  ceiling: number
  /** Whose uploads count; all where nobody is named. */
  of: Partial<Pick<Upload, 'ownerId'>>
  /** Lets one start at a time count. */
  lock(tx: Db): Promise<unknown>
}

/**
 * Where a new upload passes the ceiling, those that were idle for 15 minutes make way, the longest
 * idle first. False where they would not do: they stay, and the new one is gone.
 */
async function makeFit(
  { clock, db, log, stores }: CeilingDeps,
  upload: Upload,
  { ceiling, of, lock }: Ceiling,
): Promise<boolean> {
  const idleBefore = new Date(clock().getTime() - placeHeldMs)
  const ended: StoredUpload[] = []
  const fits = await db.transaction(async (tx) => {
    await lock(tx)
    let over = (await sumUnfinished(tx, of)) - ceiling
    if (over > 0 && (await sumUnfinished(tx, { ...of, idleBefore })) < over) {
      await deleteUpload(tx, upload.ownerId, upload.storageKey)
      return false
    }
    while (over > 0) {
      const taken = await takeIdleUploads(tx, idleBefore, batchSize, of)
      // Somebody has come back to the rest at this moment.
      if (taken.length === 0) throw new AppError('UNAVAILABLE')
      ended.push(...taken)
      over = (await sumUnfinished(tx, of)) - ceiling
    }
    return true
  })
  await removeBytes(stores, ended, log)
  return fits
}
