import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { canAddFile, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { hasBlockedSize, isBlocked } from '../abuse/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { type FileRow, findFile, markDeleted } from '../files/queries.ts'
import { queueDeliveryEmail } from '../requests/request-emails.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { lockUser } from '../tiers/queries.ts'
import { removeBytes } from './end-uploads.ts'
import { countActiveFiles, findUpload, insertFile, lockUpload, type Upload } from './queries.ts'
import { endUploads } from './removal-queries.ts'

type ConfirmRequest = z.output<typeof uploads.confirmUpload.body>

type ConfirmDeps = Pick<
  Deps,
  'requestJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'settings' | 'stores'
>

/** Checksums of the stored bytes. Null until the `compute-digests` job has read them. */
interface Checksums {
  sha256: string | null
  /** May also be the client's claim. */
  crc32: number | null
}

/**
 * Turns a finished upload into a file with a link (design §4): seals the bytes, then inserts the
 * file. Confirming again, even in parallel, returns the same file.
 *
 * If the store's `computesSha256` is true, a claimed SHA-256 is compared with the stored bytes. The
 * claim itself is never stored. A claimed CRC-32 is stored if storage doesn't know it. Bytes are
 * read before the response only for that comparison, or if their size matches blocked content; the
 * `compute-digests` job reads the rest, and replaces a claimed CRC-32.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key; UPLOAD_INCOMPLETE;
 * SIZE_MISMATCH, CHECKSUM_MISMATCH and CONTENT_BLOCKED, which end the upload; UPLOAD_SUPERSEDED if
 * a parallel request ended it; TIER_FILE_COUNT if the owner has reached the file limit (see
 * `maxFilesForConfirm`), after which the upload can still be confirmed later; UNAUTHORIZED if the
 * owner was deleted. If the upload is already a file, CHECKSUM_MISMATCH leaves the file unchanged.
 */
export async function confirmUpload(
  deps: ConfirmDeps,
  ownerId: string,
  request: ConfirmRequest,
): Promise<FileRow> {
  const upload = await findUpload(deps.db, ownerId, request.cloudKey)
  if (upload) {
    const checksums = await seal(deps, upload, request)
    const file = checksums && (await createFile(deps, upload, request, checksums))
    if (file) return file
  }
  return findConfirmed(deps, ownerId, request, upload ? 'UPLOAD_SUPERSEDED' : 'UPLOAD_NOT_FOUND')
}

/** Returns the file of an upload that is no longer open, or throws `code`. */
async function findConfirmed(
  { db, stores }: Pick<Deps, 'db' | 'stores'>,
  ownerId: string,
  { cloudKey, sha256: claimedSha256 }: ConfirmRequest,
  code: 'UPLOAD_SUPERSEDED' | 'UPLOAD_NOT_FOUND',
): Promise<FileRow> {
  const file = await findFile(db, ownerId, { storageKey: cloudKey })
  if (!file) throw new AppError(code)
  if (file.takenDownAt !== null) throw new AppError('CONTENT_BLOCKED')
  if (claimedSha256 !== undefined) {
    const store = stores.get(file.storage)
    const shouldHash = file.sha256 === null && store.computesSha256
    const digest = shouldHash ? await store.digest(file.storageKey) : file
    const sha256 = digest?.sha256 ?? null
    if (sha256 !== null && sha256 !== claimedSha256) throw new AppError('CHECKSUM_MISMATCH')
  }
  return file
}

/**
 * Seals the stored bytes of an upload. Computes their checksums if the client sent a SHA-256 or the
 * size matches blocked content. An upload with missing bytes stays open. Returns null if a parallel
 * request has just ended the upload.
 */
async function seal(
  deps: ConfirmDeps,
  upload: Upload,
  request: ConfirmRequest,
): Promise<Checksums | null> {
  const { db, stores } = deps
  const { ownerId, storage, storageKey, size } = upload
  const store = stores.get(storage)
  let sealedCrc32: number | null
  try {
    sealedCrc32 = await store.seal(storageKey, size)
  } catch (cause) {
    if (!(cause instanceof SizeMismatch)) throw cause
    if ((cause.actual ?? 0) > size) return rejectUpload(deps, upload, 'SIZE_MISMATCH', cause)
    if (!(await findUpload(db, ownerId, storageKey))) return null
    throw new AppError('UPLOAD_INCOMPLETE', { cause })
  }
  const shouldCompare = request.sha256 !== undefined && store.computesSha256
  const shouldHash = shouldCompare || (await hasBlockedSize(db, size))
  const digest = shouldHash ? await store.digest(storageKey) : null
  const sha256 = digest?.sha256 ?? null
  if (sha256 !== null && request.sha256 !== undefined && sha256 !== request.sha256) {
    return rejectUpload(deps, upload, 'CHECKSUM_MISMATCH')
  }
  if (sha256 !== null && (await isBlocked(db, sha256))) {
    return rejectUpload(deps, upload, 'CONTENT_BLOCKED')
  }
  return { sha256, crc32: digest?.crc32 ?? sealedCrc32 ?? request.crc32 ?? null }
}

/** Ends an upload and removes its bytes, then throws the error. */
async function rejectUpload(
  deps: ConfirmDeps,
  { ownerId, storageKey }: Upload,
  code: 'SIZE_MISMATCH' | 'CHECKSUM_MISMATCH' | 'CONTENT_BLOCKED',
  cause?: Error,
): Promise<never> {
  await removeBytes(deps, await endUploads(deps.db, ownerId, [storageKey], deps.clock()))
  throw new AppError(code, { cause })
}

/** Creates a file from a sealed upload. Returns null if the upload ended in the meantime. */
async function createFile(
  deps: ConfirmDeps,
  { ownerId, storageKey, link }: Upload,
  { uploadStartTime }: ConfirmRequest,
  { sha256, crc32 }: Checksums,
): Promise<FileRow | null> {
  const { clock, db, settings } = deps
  const limits = await settings.limits()
  const file = await db.transaction(async (tx) => {
    const owner = await lockUser(tx, ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const now = clock()
    const tier = effectiveTier(owner, now)
    if (link.requestId !== null) await queueDeliveryEmail(deps, tx, link.requestId, now)
    const upload = await lockUpload(tx, ownerId, storageKey)
    if (!upload) return null
    const count = limits[tier].maxFiles === null ? 0 : await countActiveFiles(tx, ownerId, now)
    if (!canAddFile(maxFilesForConfirm(upload, tier, limits), count)) {
      throw limitError('TIER_FILE_COUNT', tier, limits)
    }
    const uploadDuration = secondsSince(uploadStartTime, upload.createdAt, now)
    const isContentProved = sha256 !== null
    return insertFile(tx, upload, {
      createdAt: now,
      uploadDuration,
      sha256,
      crc32,
      isContentProved,
    })
  })
  if (file?.sha256 === null) deps.requestJob('compute-digests')
  // A parallel takedown may have blocked the content without seeing the new file.
  if (file && sha256 !== null && (await isBlocked(db, sha256))) {
    await markDeleted(db, ownerId, [file.id], clock())
    throw new AppError('CONTENT_BLOCKED')
  }
  return file
}

/**
 * Returns the file limit that applies to a confirmation; null means unlimited. If the tier hasn't
 * changed since the upload started, the higher of its limits then and now applies; otherwise, the
 * current limit applies.
 */
function maxFilesForConfirm(
  upload: Pick<Upload, 'tier' | 'maxFiles'>,
  tier: Tier,
  limits: Limits,
): number | null {
  const { maxFiles } = limits[tier]
  if (upload.tier !== tier) return maxFiles
  if (maxFiles === null || upload.maxFiles === null) return null
  return Math.max(maxFiles, upload.maxFiles)
}

/** Returns the seconds since the client's start time, but at most the seconds since `createdAt`. */
function secondsSince(
  start: ConfirmRequest['uploadStartTime'],
  createdAt: Date,
  now: Date,
): number {
  const startTime = start === undefined ? Number.NaN : new Date(start).getTime()
  const effectiveStartTime = Number.isNaN(startTime)
    ? createdAt.getTime()
    : Math.min(Math.max(startTime, createdAt.getTime()), now.getTime())
  return Math.max(0, now.getTime() - effectiveStartTime) / 1000
}
