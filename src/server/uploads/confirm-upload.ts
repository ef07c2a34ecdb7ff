import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { canAddFile, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { findBlocked, findBlockedSizes } from '../abuse/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { type FileRow, findFilesByKey, markDeleted } from '../files/queries.ts'
import type { Uploader } from '../http/session.ts'
import { queueDeliveryEmails } from '../requests/request-emails.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { removeBytes } from './end-uploads.ts'
import {
  type Entry,
  forEachPending,
  pending,
  reject,
  resultsOf,
  splitRepeats,
  succeed,
} from './entries.ts'
import {
  countActiveFiles,
  findUploads,
  insertFiles,
  lockOwner,
  lockUploads,
  type NewFile,
  type Upload,
} from './queries.ts'
import { endUploads } from './removal-queries.ts'

export type ConfirmRequest = z.output<typeof uploads.confirmUpload.body>

type ConfirmDeps = Pick<
  Deps,
  'requestJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'settings' | 'stores'
>

interface Confirm extends Entry<ConfirmRequest, FileRow> {
  upload?: Upload
  /** The SHA-256 of the stored bytes; null until the `compute-digests` job has read them. */
  sha256?: string | null
  /** The CRC-32 of the stored bytes; null if storage doesn't know it yet. */
  crc32?: number | null
}

/**
 * Turns finished uploads into files with links (design §4): seals the bytes, then inserts the
 * files. Confirming again, even in parallel, returns the same file.
 *
 * If the store's `computesSha256` is true, a claimed SHA-256 is compared with the stored bytes. The
 * claim itself is never stored. A claimed CRC-32 is stored if storage doesn't know it. Bytes are
 * read before the response only for that comparison, or if their size matches blocked content; the
 * `compute-digests` job reads the rest, and replaces a claimed CRC-32.
 *
 * Returns one result per request, in order. The errors are UPLOAD_NOT_FOUND, also for a key
 * of somebody else; UPLOAD_INCOMPLETE; SIZE_MISMATCH, CHECKSUM_MISMATCH and CONTENT_BLOCKED, which end
 * the upload; UPLOAD_SUPERSEDED if a parallel request ended it; and TIER_FILE_COUNT if the owner
 * has reached the file limit (see `maxFilesForConfirm`), after which the upload can still be
 * confirmed later. If the upload is already a file, CHECKSUM_MISMATCH leaves the file unchanged.
 * @throws {AppError} UNAUTHORIZED if the owner was deleted.
 */
export async function confirmUploads(
  deps: ConfirmDeps,
  uploader: Uploader,
  requests: readonly ConfirmRequest[],
): Promise<PromiseSettledResult<FileRow>[]> {
  const confirms = requests.map((request): Confirm => ({ request }))
  await confirmAll(deps, uploader, confirms)
  return resultsOf(confirms)
}

async function confirmAll(
  deps: ConfirmDeps,
  uploader: Uploader,
  allConfirms: readonly Confirm[],
): Promise<void> {
  const { unique: confirms } = splitRepeats(allConfirms, ({ request }) => request.cloudKey)
  const openUploads = await findUploads(deps.db, uploader, keysOf(confirms))
  const [openConfirms, closedConfirms]: [Confirm[], Confirm[]] = [[], []]
  for (const confirm of confirms) {
    const upload = openUploads.get(confirm.request.cloudKey)
    if (upload) confirm.upload = upload
    ;(upload ? openConfirms : closedConfirms).push(confirm)
  }
  await findConfirmed(deps, uploader, closedConfirms)
  await seal(deps, uploader, openConfirms)
  await hashIfNeeded(deps, uploader, openConfirms)
  await createFiles(deps, uploader, openConfirms)
  // Check the remaining requests again. Each repeats a key, or is for an upload that a parallel
  // request ended.
  const remaining = pending(allConfirms)
  if (remaining.length > 0) await confirmAll(deps, uploader, remaining)
}

function keysOf(confirms: readonly Confirm[]): string[] {
  return confirms.map(({ request }) => request.cloudKey)
}

/** Resolves requests for uploads that are no longer open. */
async function findConfirmed(
  { db, stores }: Pick<Deps, 'db' | 'stores'>,
  uploader: Uploader,
  confirms: readonly Confirm[],
): Promise<void> {
  if (confirms.length === 0) return
  const files = await findFilesByKey(db, uploader, keysOf(confirms))
  await forEachPending(confirms, async (confirm) => {
    const { cloudKey, sha256: claimedSha256 } = confirm.request
    const row = files.get(cloudKey)
    if (!row) throw new AppError(confirm.upload ? 'UPLOAD_SUPERSEDED' : 'UPLOAD_NOT_FOUND')
    if (row.takenDownAt !== null) throw new AppError('CONTENT_BLOCKED')
    if (claimedSha256 !== undefined) {
      const store = stores.get(row.storage)
      const shouldHash = row.sha256 === null && store.computesSha256
      const digest = shouldHash ? await store.digest(row.storageKey) : row
      const sha256 = digest?.sha256 ?? null
      if (sha256 !== null && sha256 !== claimedSha256) throw new AppError('CHECKSUM_MISMATCH')
    }
    succeed(confirm, row)
  })
}

/** Seals the stored bytes of uploads. An upload with missing bytes stays open. */
async function seal(
  deps: ConfirmDeps,
  uploader: Uploader,
  confirms: readonly Confirm[],
): Promise<void> {
  const incompleteConfirms = new Map<Confirm, SizeMismatch>()
  const oversizedConfirms: Confirm[] = []
  await forEachPending(confirms, async (confirm) => {
    const { storage, storageKey, size } = confirm.upload as Upload
    try {
      confirm.crc32 = await deps.stores.get(storage).seal(storageKey, size)
    } catch (error) {
      if (!(error instanceof SizeMismatch)) throw error
      if ((error.actual ?? 0) <= size) incompleteConfirms.set(confirm, error)
      else {
        oversizedConfirms.push(confirm)
        throw new AppError('SIZE_MISMATCH', { cause: error })
      }
    }
  })
  await endRejectedUploads(deps, uploader, oversizedConfirms)
  if (incompleteConfirms.size === 0) return
  // An upload may have no bytes because a parallel request has just ended it.
  const openUploads = await findUploads(deps.db, uploader, keysOf([...incompleteConfirms.keys()]))
  for (const [confirm, cause] of incompleteConfirms) {
    const code = openUploads.has(confirm.request.cloudKey)
      ? 'UPLOAD_INCOMPLETE'
      : 'UPLOAD_SUPERSEDED'
    reject(confirm, new AppError(code, { cause }))
  }
}

/** Hashes sealed bytes if the client sent a checksum or the size matches blocked content. */
async function hashIfNeeded(
  deps: ConfirmDeps,
  uploader: Uploader,
  confirms: readonly Confirm[],
): Promise<void> {
  const sealedConfirms = pending(confirms)
  const blockedSizes = await findBlockedSizes(
    deps.db,
    sealedConfirms.flatMap(({ upload }) => upload?.size ?? []),
  )
  const mismatchedConfirms: Confirm[] = []
  await forEachPending(sealedConfirms, async (confirm) => {
    const { storage, storageKey, size } = confirm.upload as Upload
    const claimedSha256 = confirm.request.sha256
    const store = deps.stores.get(storage)
    const shouldCompare = claimedSha256 !== undefined && store.computesSha256
    const digest = shouldCompare || blockedSizes.has(size) ? await store.digest(storageKey) : null
    const sha256 = digest?.sha256 ?? null
    confirm.crc32 = digest?.crc32 ?? confirm.crc32 ?? null
    if (sha256 !== null && claimedSha256 !== undefined && sha256 !== claimedSha256) {
      mismatchedConfirms.push(confirm)
      throw new AppError('CHECKSUM_MISMATCH')
    }
    confirm.sha256 = sha256
  })
  await endRejectedUploads(deps, uploader, mismatchedConfirms)
}

/**
 * Creates files from sealed uploads. Requests for uploads that ended in the meantime stay pending.
 */
async function createFiles(
  deps: ConfirmDeps,
  uploader: Uploader,
  confirms: readonly Confirm[],
): Promise<void> {
  const { clock, db, settings } = deps
  const sealedConfirms = pending(confirms)
  if (sealedConfirms.length === 0) return
  const limits = await settings.limits()
  const blockedConfirms: Confirm[] = []
  const createdFiles = await db.transaction(async (tx) => {
    const owner = await lockOwner(tx, uploader.ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const now = clock()
    const tier = effectiveTier(owner, now)
    const requestIds = sealedConfirms.flatMap(({ upload }) => upload?.link.requestId ?? [])
    await queueDeliveryEmails(deps, tx, new Set(requestIds), now)
    const openUploads = await lockUploads(tx, uploader, keysOf(sealedConfirms))
    const blockedSha256 = await findBlocked(tx, sha256Of(sealedConfirms))
    let count =
      limits[tier].maxFiles === null ? 0 : await countActiveFiles(tx, uploader.ownerId, now)
    const files: NewFile[] = []
    for (const confirm of sealedConfirms) {
      const { request, sha256 = null } = confirm
      const crc32 = confirm.crc32 ?? request.crc32 ?? null
      const upload = openUploads.get(request.cloudKey)
      if (!upload) continue
      if (blockedSha256.has(sha256 ?? '')) {
        blockedConfirms.push(confirm)
      } else if (!canAddFile(maxFilesForConfirm(upload, tier, limits), count)) {
        reject(confirm, limitError('TIER_FILE_COUNT', tier, limits))
      } else {
        count += 1
        const uploadDuration = secondsSince(request.uploadStartTime, upload.createdAt, now)
        const isContentProved = sha256 !== null
        files.push({ upload, createdAt: now, uploadDuration, sha256, crc32, isContentProved })
      }
    }
    return insertFiles(tx, files, now)
  })
  // A parallel takedown may have blocked the content without seeing the new file.
  const newlyBlockedSha256s = await findBlocked(db, sha256Of(sealedConfirms))
  const ids: string[] = []
  for (const confirm of sealedConfirms) {
    const file = createdFiles.get(confirm.request.cloudKey)
    if (!file) continue
    if (newlyBlockedSha256s.has(confirm.sha256 ?? '')) {
      ids.push(file.id)
      reject(confirm, new AppError('CONTENT_BLOCKED'))
    } else succeed(confirm, file)
  }
  if (ids.length > 0) await markDeleted(db, uploader.ownerId, ids, clock())
  for (const confirm of blockedConfirms) reject(confirm, new AppError('CONTENT_BLOCKED'))
  await endRejectedUploads(deps, uploader, blockedConfirms)
  if (sealedConfirms.some(({ sha256 }) => sha256 === null)) deps.requestJob('compute-digests')
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

function sha256Of(confirms: readonly Confirm[]): string[] {
  return confirms.flatMap(({ sha256 }) => sha256 ?? [])
}

async function endRejectedUploads(
  deps: ConfirmDeps,
  uploader: Uploader,
  confirms: readonly Confirm[],
): Promise<void> {
  await removeBytes(deps, await endUploads(deps.db, uploader, keysOf(confirms), deps.clock()))
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
