import type { z } from 'zod'
import type { File } from '../../shared/contract/files.ts'
import type { uploads } from '../../shared/contract/uploads.ts'
import { firstLifetime } from '../../shared/rules/lifetime.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { hasRoom, type Limits } from '../../shared/rules/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import { hasBlockedSize, isBlocked } from '../abuse/queries.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { findFileByKey, markDeleted, newShortCode, toFile } from '../files/queries.ts'
import type { SessionUser } from '../http/session.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { prepareFindUpload, prepareMakeFile, type UploadStatements } from './prepared-queries.ts'
import { countFilesInUse, endUploadOf, lockOwner, restartUpload, type Upload } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'

type Confirmation = z.output<typeof uploads.confirmUpload.body>

/**
 * Turns a finished upload into a file with a link (design §4). First it seals the bytes: storage
 * compares their number with the announced size and makes them durable. Then it writes the row of
 * the file. A second confirmation, even a parallel one, returns the same file.
 *
 * The server trusts only three values from the client: the key, the start time, and the SHA-256.
 * The start time must lie between the creation of the upload and now. The client's SHA-256 is used
 * only if storage does not compute one and no blocked content has this size.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key; UPLOAD_INCOMPLETE when bytes
 * are missing; SIZE_MISMATCH when there are too many bytes; CHECKSUM_MISMATCH when their SHA-256 is
 * not the client's. The last two remove the bytes, which can then be sent again. CONTENT_BLOCKED
 * when the content was taken down before; the upload ends. TIER_FILE_COUNT when the owner has as
 * many files as the tier allows; the bytes stay and can be confirmed later. If the administrator
 * has lowered this limit since the upload was started, the earlier limit counts.
 */
export async function confirmUpload(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'settings' | 'stores'> &
    Pick<UploadStatements, 'findUpload' | 'makeFile'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
  confirmation: Confirmation,
): Promise<File> {
  const { clock, db, findUpload, settings } = deps
  const { cloudKey: storageKey, uploadStartTime, sha256: claimed } = confirmation
  const ownerId = owner.id
  const upload = await findUpload(ownerId, storageKey)
  if (!upload) return findConfirmed(db, ownerId, confirmation)
  const proved = (await seal(deps, upload)) ?? (await proveWhereNeeded(deps, upload))
  if (proved !== null && claimed !== undefined && proved !== claimed) {
    await discardBytes(deps, upload)
    throw new AppError('CHECKSUM_MISMATCH')
  }
  const sha256 = proved ?? claimed ?? null

  const finish = (makeFile: UploadStatements['makeFile']) => {
    const now = clock()
    return makeFile(upload.id, {
      shortCode: newShortCode(),
      createdAt: now,
      ...firstLifetime(now, upload),
      uploadDuration: secondsSince(uploadStartTime, upload.createdAt, now),
      sha256,
      isContentProved: proved !== null,
    })
  }
  // Without a limit of files there is nothing to count. So the owner's uploads need not wait for
  // one another.
  const limits = await settings.limits()
  const file = await (maxFilesOf(upload, owner.tier, limits) === null
    ? finish(deps.makeFile)
    : db.transaction(async (tx) => {
        const hasSlot = await takeSlot(tx, upload, limits, clock())
        return hasSlot ? finish(prepareMakeFile(tx)) : undefined
      }))
  // A takedown may block the content while this upload becomes a file. The statement that makes the
  // file sees only content that was blocked before it began, and the takedown may miss a file that
  // is only just made. So look again here.
  if (sha256 !== null && (await isBlocked(db, sha256))) {
    await (file ? markDeleted(db, ownerId, [file.id], clock()) : endUpload(deps, upload))
    throw new AppError('CONTENT_BLOCKED')
  }
  // If there is no file, a parallel call was faster: it made the file, or removed the bytes. A
  // second confirmation finds out which.
  return file ? toFile(file) : confirmUpload(deps, owner, confirmation)
}

/**
 * Reads the bytes of a sealed upload and returns their SHA-256, if blocked content has the same
 * size. Otherwise returns null, because bytes in a bucket should be read only if necessary. Also
 * returns null when the bytes are missing.
 */
async function proveWhereNeeded(
  { db, stores }: Pick<Deps, 'db' | 'stores'>,
  { storage, storageKey, size }: Upload,
): Promise<string | null> {
  return (await hasBlockedSize(db, size)) ? stores.of(storage).sha256(storageKey) : null
}

/** Ends an upload that must not become a file. Removes its bytes. */
async function endUpload(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  { ownerId, storageKey }: Upload,
): Promise<void> {
  const ended = await endUploadOf(deps.db, ownerId, storageKey, deps.clock())
  if (ended) await removeBytes(deps, [ended])
}

/**
 * Checks that the tier allows another file. Locks the owner until the transaction ends, so that no
 * parallel request can use the last slot of the limit. Returns false when the upload became a file,
 * or ended, while this call waited for the lock.
 * @throws {AppError} TIER_FILE_COUNT when no slot is free.
 */
async function takeSlot(tx: Db, upload: Upload, limits: Limits, now: Date): Promise<boolean> {
  const { ownerId, storageKey } = upload
  const owner = await lockOwner(tx, ownerId)
  if (!owner) throw new AppError('UNAUTHORIZED')
  if (!(await prepareFindUpload(tx)(ownerId, storageKey))) return false
  const filesInUse = await countFilesInUse(tx, ownerId, now, upload)
  const tier = effectiveTier(owner, now)
  if (hasRoom(maxFilesOf(upload, tier, limits), filesInUse)) return true
  throw limitError('TIER_FILE_COUNT', tier, limits)
}

/**
 * Returns how many files the owner may have after this upload has become one: the tier's limit now,
 * or its limit when the upload was started, whichever is higher. null means no limit.
 */
function maxFilesOf(
  upload: Pick<Upload, 'tier' | 'maxFiles'>,
  tier: Tier,
  limits: Limits,
): number | null {
  const { maxFiles } = limits[tier]
  if (upload.tier !== tier) return maxFiles
  if (maxFiles === null || upload.maxFiles === null) return null
  return Math.max(maxFiles, upload.maxFiles)
}

async function findConfirmed(
  db: Db,
  ownerId: string,
  { cloudKey: storageKey, sha256: claimed }: Confirmation,
): Promise<File> {
  const row = await findFileByKey(db, ownerId, storageKey)
  if (!row) throw new AppError('UPLOAD_NOT_FOUND')
  if (row.takenDownAt !== null) throw new AppError('CONTENT_BLOCKED')
  const differs = row.sha256 !== null && claimed !== undefined && row.sha256 !== claimed
  if (differs) throw new AppError('CHECKSUM_MISMATCH')
  return toFile(row)
}

/**
 * Seals the stored bytes. Returns their SHA-256, or null where storage does not compute it.
 * @throws {AppError} UPLOAD_INCOMPLETE, SIZE_MISMATCH, or UPLOAD_NOT_FOUND when a parallel call
 * ended the upload and removed its bytes.
 */
async function seal(
  deps: Pick<Deps, 'db' | 'stores'> & Pick<UploadStatements, 'findUpload'>,
  upload: Upload,
): Promise<string | null> {
  try {
    return await deps.stores.of(upload.storage).seal(upload.storageKey, upload.size)
  } catch (error) {
    if (!(error instanceof SizeMismatch)) throw error
    // If bytes are missing, the upload can be continued. If there are too many, they are removed,
    // and the client must send all of them again.
    if (error.actual === null || error.actual < upload.size) {
      const isOpen = (await deps.findUpload(upload.ownerId, upload.storageKey)) !== undefined
      throw new AppError(isOpen ? 'UPLOAD_INCOMPLETE' : 'UPLOAD_NOT_FOUND', { cause: error })
    }
    await discardBytes(deps, upload)
    throw new AppError('SIZE_MISMATCH', { cause: error })
  }
}

/**
 * Removes the stored bytes of an upload, so that they can be sent again. Does nothing if a parallel
 * call has just made the upload a file: `restartUpload` then finds no row.
 */
function discardBytes({ db, stores }: Pick<Deps, 'db' | 'stores'>, upload: Upload): Promise<void> {
  return db.transaction(async (tx) => {
    if (await restartUpload(tx, upload.id))
      await stores.of(upload.storage).remove(upload.storageKey)
  })
}

/**
 * Returns how many seconds the upload took since the start time that the browser sent. A start time
 * before the upload's creation counts as the creation, one in the future as now.
 */
function secondsSince(start: Confirmation['uploadStartTime'], createdAt: Date, now: Date): number {
  const claimed = start === undefined ? Number.NaN : new Date(start).getTime()
  const from = Number.isNaN(claimed)
    ? createdAt.getTime()
    : Math.min(Math.max(claimed, createdAt.getTime()), now.getTime())
  return Math.max(0, now.getTime() - from) / 1000
}
