import { slotHeldMs } from '../../shared/rules/files/kept-times.ts'
import type { Db } from '../db/db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { OpenedUpload } from './prepared-queries.ts'
import {
  endUploadsOf,
  lockAllUploads,
  lockOwner,
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
 * An upload of at most one 1024th of an account's ceiling counts as small, 32 MiB with the default
 * limits. Half of the ceiling has room for 512 of them, which is as many as 51 servers start at the
 * same moment on their 10 connections each. Uploads that one call starts count together.
 */
const smallShare = 1024

type CeilingDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

/**
 * Keeps the unconfirmed bytes of one owner below a ceiling. It ends idle uploads to make room, or
 * removes new uploads (see `makeFit`). It is meant for owners whose tier has no limit of files.
 *
 * Up to half the ceiling, it does not lock the owner. For small uploads it makes no query, but uses
 * their `unfinished`. That misses uploads that start at the same moment, on this server or on
 * others. Small uploads that were missed fit into the other half. For larger uploads, and for many
 * in one call, it counts again after their rows are committed. So of several that start at the same
 * moment, the one that counts last sees all others.
 * @param uploads new uploads of one owner, which one statement has inserted.
 * @returns the uploads that did not fit and were removed.
 */
export async function holdToAccountCeiling(
  deps: CeilingDeps,
  uploads: readonly OpenedUpload[],
  bytes: number,
): Promise<OpenedUpload[]> {
  const [first] = uploads
  if (!first) return []
  const { ownerId, unfinished } = first
  const charge = uploads.reduce((sum, { size }) => sum + chargeOf(size), 0)
  const isSmall = charge <= bytes / smallShare
  const used = isSmall ? unfinished + charge : await sumUnfinished(deps.db, { ownerId })
  if (used <= bytes / 2) return []
  return makeFit(deps, uploads, {
    bytes,
    of: { ownerId },
    bytesOf: ({ size }) => chargeOf(size),
    lock: (tx) => lockOwner(tx, ownerId),
    used: (tx) => sumUnfinished(tx, { ownerId }),
    idle: (tx, idleBefore) => sumUnfinished(tx, { ownerId, idleBefore }),
  })
}

/**
 * Keeps the unconfirmed bytes of all accounts together below a ceiling. It ends idle uploads to
 * make room, or removes new uploads (see `makeFit`). Above half the ceiling, it checks the new
 * uploads of only one call at a time.
 * @param uploads new uploads of one owner.
 * @param total an estimate of the bytes of all unconfirmed uploads (see `UnfinishedTotal`).
 * @returns the uploads that did not fit and were removed.
 */
export async function holdToInstanceCeiling<U extends Upload>(
  deps: CeilingDeps,
  uploads: readonly U[],
  total: number,
  bytes: number,
): Promise<U[]> {
  if (total <= bytes / 2) return []
  return makeFit(deps, uploads, {
    bytes,
    of: {},
    bytesOf: ({ size }) => chargeOf(size),
    lock: lockAllUploads,
    used: (tx) => sumUnfinished(tx, {}),
    idle: (tx, idleBefore) => sumUnfinished(tx, { idleBefore }),
  })
}

/**
 * Keeps the files and open uploads of all accounts together below the administrator's cap (decision
 * 041). It ends idle uploads to make room, or removes new uploads (see `makeFit`). The row of every
 * upload is committed before it is checked. So among parallel uploads, the one that is checked last
 * sees all others, and together they never exceed the cap. If uploads do not seem to fit, they are
 * checked again under a lock, those of one call at a time. Without the lock, two uploads of which
 * one fits could see each other, and both be refused.
 * @param uploads new uploads of one owner.
 * @param mostStored the cap in bytes; null means no cap.
 * @returns the uploads that did not fit and were removed.
 */
export async function holdToCap<U extends Upload>(
  deps: CeilingDeps,
  uploads: readonly U[],
  mostStored: number | null,
): Promise<U[]> {
  if (mostStored === null || uploads.length === 0) return []
  const used = async (db: Db) => {
    const { files, uploads } = await sumStored(db)
    return files + uploads
  }
  if ((await used(deps.db)) <= mostStored) return []
  return makeFit(deps, uploads, {
    bytes: mostStored,
    of: {},
    bytesOf: ({ size }) => size,
    lock: lockAllUploads,
    used,
    idle: sumIdle,
  })
}

interface Ceiling {
  /** How many bytes `used` may return once the new uploads are counted. */
  bytes: number
  /**
   * The owner whose idle uploads may be ended to make room. Without an owner, all idle uploads may
   * be ended.
   */
  of: Partial<Pick<Upload, 'ownerId'>>
  /** Returns how many bytes an upload counts. */
  bytesOf(upload: Upload): number
  /** Takes a lock, so that only the new uploads of one call at a time are counted. */
  lock(tx: Db): Promise<unknown>
  /** Returns how many bytes are in use now. */
  used(tx: Db): Promise<number>
  /** Returns how many of these bytes belong to uploads that were last active before this moment. */
  idle(tx: Db, before: Date): Promise<number>
}

/**
 * Ends uploads that were idle for 15 minutes, the longest idle first, until the new uploads fit
 * below the ceiling. New uploads for which even ending all idle ones would not suffice are removed,
 * and returned. An earlier upload of the list goes before a later one.
 * @throws {AppError} UNAVAILABLE when owners resume the idle uploads meanwhile.
 */
async function makeFit<U extends Upload>(
  deps: CeilingDeps,
  uploads: readonly U[],
  ceiling: Ceiling,
): Promise<U[]> {
  const [first] = uploads
  if (!first) return []
  const { clock, db } = deps
  const { bytes, of, bytesOf, lock, used, idle } = ceiling
  const now = clock()
  const before = new Date(now.getTime() - slotHeldMs)
  const ended: EndedUpload[] = []
  const tooMany = await db.transaction(async (tx) => {
    await lock(tx)
    let over = (await used(tx)) - bytes
    if (over <= 0) return []
    const ofAll = uploads.reduce((sum, upload) => sum + bytesOf(upload), 0)
    let room = ofAll - over + (await idle(tx, before))
    const tooMany = uploads.filter((upload) => {
      const fits = bytesOf(upload) <= room
      if (fits) room -= bytesOf(upload)
      return !fits
    })
    const keys = tooMany.map(({ storageKey }) => storageKey)
    await endUploadsOf(tx, first.ownerId, keys, now)
    // All new uploads of this call are removed. If too many bytes are still in use, other calls
    // have added them, and this call has nothing left to remove.
    if (tooMany.length === uploads.length) return tooMany
    over -= tooMany.reduce((sum, upload) => sum + bytesOf(upload), 0)
    while (over > 0) {
      const taken = await takeIdleUploads(tx, { before, now, limit: batchSize, ...of })
      // The remaining uploads are no longer idle: their owners have just resumed them.
      if (taken.length === 0) throw new AppError('UNAVAILABLE')
      ended.push(...taken)
      over = (await used(tx)) - bytes
    }
    return tooMany
  })
  await removeBytes(deps, ended)
  return tooMany
}
