import type { Db } from '../db/db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { OpenedUpload } from './prepared-queries.ts'
import {
  endUploadOf,
  lockAllUploads,
  lockOwner,
  slotHeldMs,
  sumUnfinished,
  takeIdleUploads,
  type Upload,
} from './queries.ts'
import type { EndedUpload } from './removal-queries.ts'
import { removeBytes } from './remove-bytes.ts'
import { sumIdle, sumStored } from './stored-queries.ts'
import { chargeOf } from './upload-ceilings.ts'

const batchSize = 10
/**
 * An upload of at most this share of an account's ceiling counts as small, 32 MiB with the default
 * limits. Half of the ceiling has room for 512 of them, which is as many as 51 servers start at the
 * same moment on their 10 connections each.
 */
const smallShare = 1024

type CeilingDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/**
 * Keeps the unconfirmed bytes of one owner below a ceiling. It ends idle uploads to make room, or
 * refuses the new upload (see `makeFit`). It is for owners whose tier has no limit of files.
 *
 * Below half the ceiling, it does not lock the owner. For most uploads `upload.unfinished` is then
 * enough. It misses uploads that start at the same moment, on this server or on others, so a larger
 * upload counts again. Its row is committed, so of larger uploads at the same moment the one that
 * counts last sees all others. Small ones that were missed fit into the other half.
 * @throws {AppError} UPLOADS_UNFINISHED; the new upload has then been removed.
 */
export async function holdToAccountCeiling(
  deps: CeilingDeps,
  upload: OpenedUpload,
  bytes: number,
): Promise<void> {
  const { ownerId } = upload
  const charge = chargeOf(upload.size)
  const isSmall = charge <= bytes / smallShare
  const used = isSmall ? upload.unfinished + charge : await sumUnfinished(deps.db, { ownerId })
  if (used <= bytes / 2) return
  const fits = await makeFit(deps, upload, {
    bytes,
    of: { ownerId },
    lock: (tx) => lockOwner(tx, ownerId),
    used: (tx) => sumUnfinished(tx, { ownerId }),
    idle: (tx, idleBefore) => sumUnfinished(tx, { ownerId, idleBefore }),
  })
  if (!fits) throw new AppError('UPLOADS_UNFINISHED')
}

/**
 * Keeps the unconfirmed bytes of all accounts together below a ceiling. It ends idle uploads to
 * make room, or refuses the new upload (see `makeFit`). Above half the ceiling, it checks only one
 * new upload at a time.
 * @param total an estimate of the bytes of all unconfirmed uploads (see `UnfinishedTotal`).
 * @throws {AppError} STORAGE_FULL; the new upload has then been removed.
 */
export async function holdToInstanceCeiling(
  deps: CeilingDeps,
  upload: Upload,
  total: number,
  bytes: number,
): Promise<void> {
  if (total <= bytes / 2) return
  const fits = await makeFit(deps, upload, {
    bytes,
    of: {},
    lock: lockAllUploads,
    used: (tx) => sumUnfinished(tx, {}),
    idle: (tx, idleBefore) => sumUnfinished(tx, { idleBefore }),
  })
  if (!fits) throw new AppError('STORAGE_FULL')
}

/**
 * Keeps the files and open uploads of all accounts together below the administrator's cap (decision
 * 041). It ends idle uploads to make room, or refuses the new upload (see `makeFit`). The row of
 * every upload is committed before it is checked. So among parallel uploads, the one that is
 * checked last sees all others, and together they never exceed the cap. If an upload does not seem
 * to fit, it is checked again under a lock, one upload at a time. Without the lock, two uploads of
 * which one fits could see each other, and both be refused.
 * @param mostStored the cap in bytes; null means no cap.
 * @throws {AppError} STORAGE_CAP_REACHED; the new upload has then been removed.
 */
export async function holdToCap(
  deps: CeilingDeps,
  upload: Upload,
  mostStored: number | null,
): Promise<void> {
  if (mostStored === null) return
  const used = async (db: Db) => {
    const { files, uploads } = await sumStored(db)
    return files + uploads
  }
  if ((await used(deps.db)) <= mostStored) return
  const fits = await makeFit(deps, upload, {
    bytes: mostStored,
    of: {},
    lock: lockAllUploads,
    used,
    idle: sumIdle,
  })
  if (!fits) throw new AppError('STORAGE_CAP_REACHED')
}

interface Ceiling {
  /** How many bytes `used` may return once the new upload is counted. */
  bytes: number
  /**
   * The owner whose idle uploads may be ended to make room. Without an owner, all idle uploads may
   * be ended.
   */
  of: Partial<Pick<Upload, 'ownerId'>>
  /** Takes a lock, so that only one new upload at a time is counted. */
  lock(tx: Db): Promise<unknown>
  /** Returns how many bytes are in use now. */
  used(tx: Db): Promise<number>
  /** Returns how many of these bytes belong to uploads that were last active before this moment. */
  idle(tx: Db, before: Date): Promise<number>
}

/**
 * Ends uploads that were idle for 15 minutes, the longest idle first, until a new upload fits below
 * the ceiling. If ending all of them would not suffice, they stay, the new upload is removed, and
 * the result is false.
 */
async function makeFit(deps: CeilingDeps, upload: Upload, ceiling: Ceiling): Promise<boolean> {
  const { clock, db } = deps
  const { bytes, of, lock, used, idle } = ceiling
  const now = clock()
  const before = new Date(now.getTime() - slotHeldMs)
  const ended: EndedUpload[] = []
  const fits = await db.transaction(async (tx) => {
    await lock(tx)
    let over = (await used(tx)) - bytes
    if (over > 0 && (await idle(tx, before)) < over) {
      await endUploadOf(tx, upload.ownerId, upload.storageKey, now)
      return false
    }
    while (over > 0) {
      const taken = await takeIdleUploads(tx, { before, now, limit: batchSize, ...of })
      // The remaining uploads are no longer idle: their owners have just resumed them.
      if (taken.length === 0) throw new AppError('UNAVAILABLE')
      ended.push(...taken)
      over = (await used(tx)) - bytes
    }
    return true
  })
  await removeBytes(deps, ended)
  return fits
}
