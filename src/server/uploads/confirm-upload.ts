import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { canAddFile, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import { findBlocked } from '../abuse/queries.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { type FileRow, findFile, markDeleted } from '../files/queries.ts'
import { queueDeliveryEmail } from '../requests/request-emails.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { lockUser } from '../tiers/queries.ts'
import { removeBytes } from './end-uploads.ts'
import {
  countActiveFiles,
  findUploads,
  insertFiles,
  lockUploads,
  type NewFile,
  type Upload,
} from './queries.ts'
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

/** How many uploads are sealed at once. On disk each is synced, in a bucket completed. */
const sealedAtOnce = 8

/**
 * Turns finished uploads into files with links (design §4): seals the bytes, then inserts the files
 * in one transaction. Confirming an upload again, even in parallel, returns the same file.
 *
 * If the store's `computesSha256` is true, a claimed SHA-256 is compared with the stored bytes. The
 * claim itself is never stored. A claimed CRC-32 is stored if storage doesn't know it. Bytes are
 * read before the response only for that comparison, or if their size matches blocked content; the
 * `compute-digests` job reads the rest, and replaces a claimed CRC-32.
 * @returns the file of each request, in order, or an error: UPLOAD_NOT_FOUND, also for another
 * user's key; UPLOAD_INCOMPLETE; SIZE_MISMATCH, CHECKSUM_MISMATCH and CONTENT_BLOCKED, which end
 * the upload; UPLOAD_SUPERSEDED if a parallel request ended it; TIER_FILE_COUNT if the owner has
 * reached the file limit (see `maxFilesForConfirm`), after which the upload can still be confirmed
 * later. If the upload is already a file, CHECKSUM_MISMATCH leaves the file unchanged.
 * @throws {AppError} UNAUTHORIZED if the owner was deleted.
 */
export async function confirmUploads(
  deps: ConfirmDeps,
  ownerId: string,
  requests: readonly ConfirmRequest[],
): Promise<PromiseSettledResult<FileRow>[]> {
  const keys = requests.map(({ cloudKey }) => cloudKey)
  const openUploads = await findUploads(deps.db, ownerId, keys)
  const seals: PromiseSettledResult<Checksums | null>[] = []
  for (let from = 0; from < requests.length; from += sealedAtOnce) {
    const sealing = requests.slice(from, from + sealedAtOnce).map(async (request) => {
      const upload = openUploads.get(request.cloudKey)
      return upload ? seal(deps, upload, request) : null
    })
    seals.push(...(await Promise.allSettled(sealing)))
  }
  const sealedUploads = requests.flatMap((request, index): SealedUpload[] => {
    const result = seals[index]
    if (result?.status !== 'fulfilled' || !result.value) return []
    const requestId = openUploads.get(request.cloudKey)?.link.requestId ?? null
    return [{ request, requestId, ...result.value }]
  })
  const outcomes = await createFiles(deps, ownerId, sealedUploads)
  const confirms = requests.map(async (request, index) => {
    const result = seals[index]
    if (result?.status === 'rejected') throw result.reason
    const outcome = outcomes.get(request.cloudKey)
    if (outcome instanceof AppError) throw outcome
    const isOpen = openUploads.has(request.cloudKey)
    const code = isOpen ? 'UPLOAD_SUPERSEDED' : 'UPLOAD_NOT_FOUND'
    return outcome ?? findConfirmed(deps, ownerId, request, code)
  })
  return Promise.allSettled(confirms)
}

/** Like `confirmUploads`, but for one upload, and throws its error. */
export async function confirmUpload(
  deps: ConfirmDeps,
  ownerId: string,
  request: ConfirmRequest,
): Promise<FileRow> {
  const [result] = await confirmUploads(deps, ownerId, [request])
  if (result?.status !== 'fulfilled') throw result?.reason
  return result.value
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

type SealedUpload = { request: ConfirmRequest; requestId: string | null } & Checksums

/**
 * Seals the stored bytes of an upload. Computes their checksums if the client sent a SHA-256 or the
 * size matches blocked content. An upload with missing bytes stays open. Returns null if a parallel
 * request has just ended the upload.
 */
async function seal(
  deps: ConfirmDeps,
  upload: Upload & { hasBlockedSize: boolean },
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
    if ((await findUploads(db, ownerId, [storageKey])).size === 0) return null
    throw new AppError('UPLOAD_INCOMPLETE', { cause })
  }
  const shouldCompare = request.sha256 !== undefined && store.computesSha256
  const shouldHash = shouldCompare || upload.hasBlockedSize
  const digest = shouldHash ? await store.digest(storageKey) : null
  const sha256 = digest?.sha256 ?? null
  if (sha256 !== null && request.sha256 !== undefined && sha256 !== request.sha256) {
    return rejectUpload(deps, upload, 'CHECKSUM_MISMATCH')
  }
  if (sha256 !== null && (await findBlocked(db, [sha256])).has(sha256)) {
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

/**
 * Creates files from sealed uploads.
 * @returns the file or error of each upload, by storage key, without those that have ended.
 */
async function createFiles(
  deps: ConfirmDeps,
  ownerId: string,
  sealedUploads: readonly SealedUpload[],
): Promise<ReadonlyMap<string, FileRow | AppError>> {
  const { clock, db, settings } = deps
  if (sealedUploads.length === 0) return new Map()
  const limits = await settings.limits()
  const outcomes = await db.transaction(async (tx) => {
    const owner = await lockUser(tx, ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const now = clock()
    const tier = effectiveTier(owner, now)
    const requestIds = new Set(sealedUploads.flatMap(({ requestId }) => requestId ?? []))
    for (const id of requestIds) await queueDeliveryEmail(deps, tx, id, now)
    const keys = sealedUploads.map(({ request }) => request.cloudKey)
    const uploads = await lockUploads(tx, ownerId, keys)
    let count = limits[tier].maxFiles === null ? 0 : await countActiveFiles(tx, ownerId, now)
    const newOutcomes = new Map<string, FileRow | AppError>()
    const newFiles = new Map<string, NewFile>()
    for (const { request, sha256, crc32 } of sealedUploads) {
      const upload = uploads.get(request.cloudKey)
      if (!upload || newFiles.has(upload.id)) continue
      if (canAddFile(maxFilesForConfirm(upload, tier, limits), count)) {
        count += 1
        const uploadDuration = secondsSince(request.uploadStartTime, upload.createdAt, now)
        const isContentProved = sha256 !== null
        newFiles.set(upload.id, { upload, uploadDuration, sha256, crc32, isContentProved })
      } else newOutcomes.set(request.cloudKey, limitError('TIER_FILE_COUNT', tier, limits))
    }
    for (const file of await insertFiles(tx, [...newFiles.values()], now)) {
      newOutcomes.set(file.storageKey, file)
    }
    return newOutcomes
  })
  const files = [...outcomes.values()].flatMap((outcome) =>
    outcome instanceof AppError ? [] : outcome,
  )
  if (files.some(({ sha256 }) => sha256 === null)) deps.requestJob('compute-digests')
  // A parallel takedown may have blocked the content without seeing the new files.
  const blocked = await findBlocked(
    db,
    files.flatMap(({ sha256 }) => sha256 ?? []),
  )
  const blockedFiles = files.filter(({ sha256 }) => blocked.has(sha256 ?? ''))
  for (const { id, storageKey } of blockedFiles) {
    await markDeleted(db, ownerId, [id], clock())
    outcomes.set(storageKey, new AppError('CONTENT_BLOCKED'))
  }
  return outcomes
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
