import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import { cleanFileName } from '../../shared/rules/files/file-name.ts'
import {
  initialSignedParts,
  type PartRange,
  partRange,
  partSizeFor,
  partUrlLifetimeMs,
  planParts,
} from '../../shared/rules/files/part-plan.ts'
import { idleUploadTimeoutMs } from '../../shared/rules/files/retention.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { gibibyte, mebibyte } from '../../shared/rules/format/units.ts'
import { firstLifetime } from '../../shared/rules/links/lifetime.ts'
import { maxFilesPerLink } from '../../shared/rules/links/link-limits.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { checkUpload, type Limits, largestFileSize } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { insertLink, type LinkRow, lockActiveLink, recountLinks } from '../links/queries.ts'
import {
  hasAllDeliveries,
  lockOpenRequest,
  type RequestRow,
  type Undefinable,
} from '../requests/queries.ts'
import type { Storage } from '../storage/storage.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import type { Stores } from '../storage/stores.ts'
import { lockUser } from '../tiers/queries.ts'
import {
  countActiveFiles,
  countUploads,
  insertUploads,
  resumeRepeated,
  sumStoredUnderLock,
  type Upload,
  type UploadRow,
} from './queries.ts'
import { endSurplusUploads, endUploads } from './removal-queries.ts'

/** How many open uploads, including idle ones, an account may have beyond its file limit. */
const maxIdleUploads = 3

/**
 * The minimum that an upload counts towards `accountLimit`, because even a single byte costs a row
 * and a file.
 */
const minUnfinishedBytes = 8 * mebibyte

/**
 * Returns the maximum number of unconfirmed bytes per account. Browsers send one large file at a
 * time, so this is enough for uploads from several devices and a few failed ones.
 */
function accountLimit(limits: Limits): number {
  return 32 * Math.max(largestFileSize(limits), gibibyte)
}

type StartedUpload = z.input<typeof uploads.getUploadUrl.response>

/** A file to upload. If its link already exists, that decides how long the file lives. */
export interface UploadRequest
  extends Pick<
    z.output<typeof uploads.getUploadUrl.body>,
    'fileName' | 'fileSize' | 'fileType' | 'idempotencyKey'
  > {
  expirationDays?: number
}

/** The link that new uploads belong to. With `requestId`, senders of that request upload to it. */
export type LinkTarget = (
  | { kind: 'new'; options: Undefinable<LinkOptions> }
  | { kind: 'existing'; shortCode: string }
) & { requestId?: string }

type LinkOptions = Pick<
  LinkRow,
  'title' | 'message' | 'passwordHash' | 'maxDownloads' | 'requestId' | 'senderName' | 'shared'
>

type StartDeps = Pick<Deps, 'clock' | 'db' | 'settings' | 'stores'>

/** How many uploads are signed at once. In a bucket, each takes several requests. */
const signedAtOnce = 16

/**
 * Starts uploads that belong to one link, all or none (design §4). Enforces the limits and returns
 * presigned URLs for exactly the announced bytes: one for the whole file and, if the file is large,
 * one for each of the first parts. If uploads of the same files are open under the same idempotency
 * keys, returns those uploads with new URLs. Returns their link's id, and the uploads in the order
 * of `requests`.
 * @param target the link; null for a new one without options, for a call that starts one upload.
 * @throws {AppError} the first request's error, with those of all refused requests in `errors`:
 * FILE_TOO_LARGE, TIER_FILE_SIZE, TIER_EXPIRATION, TIER_FILE_COUNT; INVALID_INPUT if no tier offers
 * the days; UPLOADS_UNFINISHED for too many unconfirmed bytes; STORAGE_CAP_REACHED, STORAGE_FULL.
 * INVALID_INPUT if an idempotency key belongs to another file, or the link would have too many
 * files; LINK_NOT_FOUND if the owner has no such active link; REQUEST_NOT_FOUND if the request has
 * closed, REQUEST_FULL if it takes no more; UNAUTHORIZED if the owner was deleted; UNAVAILABLE if
 * storage can't be reached.
 */
export async function startUploads(
  deps: StartDeps,
  ownerId: string,
  requests: readonly UploadRequest[],
  target: LinkTarget | null,
): Promise<{ linkId: string; uploads: StartedUpload[] }> {
  const now = deps.clock()
  const { uploads, isNew } = await openUploads(deps, ownerId, requests, target, now)
  const startedUploads: StartedUpload[] = []
  try {
    for (let from = 0; from < uploads.length; from += signedAtOnce) {
      const batch = uploads.slice(from, from + signedAtOnce)
      const responses = batch.map((upload) => response(deps.stores, upload, now))
      startedUploads.push(...(await Promise.all(responses)))
    }
    return { linkId: uploads[0]?.linkId ?? '', uploads: startedUploads }
  } catch (error) {
    const keys = uploads.map(({ storageKey }) => storageKey)
    if (isNew) await endUploads(deps.db, ownerId, keys, deps.clock())
    throw error
  }
}

/** @throws {AppError} UNAUTHORIZED if the client expects another user. */
export function requireOwner({ ownerId }: { ownerId?: string | undefined }, userId: string): void {
  if ((ownerId ?? userId) !== userId) throw new AppError('UNAUTHORIZED')
}

/**
 * Inserts uploads, or finds those of an earlier call, while the owner is locked.
 * @throws {AppError} as `startUploads`.
 */
export async function openUploads(
  { db, settings, stores }: StartDeps,
  ownerId: string,
  requests: readonly UploadRequest[],
  target: LinkTarget | null,
  now: Date,
): Promise<{ uploads: Upload[]; isNew: boolean }> {
  const { limits, cap } = await settings.current()
  const { current: store } = stores
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const { fileRequest, existing, isFull } = await lockTarget(tx, ownerId, target, now)
    const keys = requests.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    const earlierUploads = await resumeRepeated(tx, ownerId, keys, now)
    // A repeated start is accepted even if the limits have been lowered since.
    if (earlierUploads.size > 0) {
      return { uploads: matchEarlier(requests, earlierUploads, existing?.link.id), isNew: false }
    }

    const tier = effectiveTier(owner, now)
    const { maxFiles, maxLifetimeDays } = limits[tier]
    const { open, active, bytes } = await countUploads(tx, ownerId, minUnfinishedBytes, now)
    const { maxStored } = cap
    const availableBytes =
      maxStored === null ? Number.POSITIVE_INFINITY : maxStored - (await sumStoredUnderLock(tx))
    const filesInUse = maxFiles === null ? 0 : active + (await countActiveFiles(tx, ownerId, now))
    const usage = { filesInUse, unfinishedBytes: bytes, availableBytes }
    const refusals = await findRefusals(requests, { tier, limits, store, fileRequest, ...usage })
    if (target === null && refusals[0]) throw refusals[0].error
    throwRefusals(refusals)

    const maxOpen = maxFiles === null ? Number.POSITIVE_INFINITY : maxFiles + maxIdleUploads
    const isSurplus = open + requests.length > maxOpen
    // A sender must not end the owner's idle uploads.
    if (isFull || (fileRequest && isSurplus)) throw new AppError('REQUEST_FULL')
    enforceMaxFiles((existing?.link.fileCount ?? 0) + requests.length)
    const uploadRows = requests.map((request, index) => ({
      ownerId,
      position: (existing?.nextPosition ?? 0) + index,
      storage: store.name,
      storageKey: newStorageKey(),
      // Spec §5: file names are cleaned before upload.
      originalName: cleanFileName(request.fileName),
      mimeType: request.fileType,
      size: request.fileSize,
      partSize: partSizeFor(request.fileSize),
      tier,
      maxFiles,
      idempotencyKey: request.idempotencyKey ?? null,
      createdAt: now,
      lastActivityAt: now,
    }))
    const { expirationDays = 0 } = requests[0] ?? {}
    const link =
      existing?.link ??
      (await insertLink(
        tx,
        {
          ...(target?.kind === 'new' && target.options),
          ownerId,
          expirationDays,
          maxLifetimeDays,
          createdAt: now,
          // Provisional: the first confirmed file sets the real dates.
          ...firstLifetime(now, { expirationDays: maxLifetimeDays, maxLifetimeDays }),
        },
        uploadRows,
      ))
    const newUploads = await insertUploads(
      tx,
      uploadRows.map((row) => ({ ...row, linkId: link.id })),
    )
    if (existing) await recountLinks(tx, [link.id])
    if (isSurplus) await endSurplusUploads(tx, ownerId, maxOpen, now)
    return { uploads: newUploads.map((upload) => ({ ...upload, link })), isNew: true }
  })
}

/**
 * Locks the request whose sender uploads, and the link that files are added to.
 * @throws {AppError} REQUEST_NOT_FOUND if the request has closed; LINK_NOT_FOUND, also for a sender
 * if the owner has shared the link.
 */
async function lockTarget(tx: Db, ownerId: string, target: LinkTarget | null, now: Date) {
  const fileRequest = target?.requestId ? await lockOpenRequest(tx, target.requestId, now) : null
  const isExisting = target?.kind === 'existing'
  const existing = isExisting ? await lockActiveLink(tx, ownerId, target.shortCode, now) : null
  if (fileRequest && existing?.link.shared) throw new AppError('LINK_NOT_FOUND')
  const isFull = fileRequest && !existing && (await hasAllDeliveries(tx, fileRequest))
  return { fileRequest, existing, isFull }
}

/** @throws {AppError} INVALID_INPUT if a link can't have so many files. */
function enforceMaxFiles(count: number): void {
  if (count <= maxFilesPerLink) return
  const message = `files: A link has ${groupDigits(maxFilesPerLink)} files at most.`
  throw new AppError('INVALID_INPUT', { message })
}

/** What the owner of new uploads has and can use. */
interface OwnerUsage {
  tier: Tier
  limits: Limits
  filesInUse: number
  unfinishedBytes: number
  availableBytes: number
  store: Storage
  /** The request whose sender uploads; null for the owner's own uploads. */
  fileRequest: RequestRow | null
}

interface Refusal {
  index: number
  error: AppError
}

/** Returns the uploads that can't start, and why. */
async function findRefusals(
  requests: readonly UploadRequest[],
  usage: OwnerUsage,
): Promise<Refusal[]> {
  const { tier, limits, availableBytes, store, fileRequest } = usage
  const maxFileSize = fileRequest?.maxFileSize ?? Number.POSITIVE_INFINITY
  // Senders can use only half, so that they can't block the owner's own uploads.
  const maxUnfinishedBytes = accountLimit(limits) / (fileRequest ? 2 : 1)
  let { filesInUse, unfinishedBytes } = usage
  let addedBytes = 0
  const findError = async ({ fileSize, expirationDays }: UploadRequest) => {
    if (fileSize > maxFileSize) {
      const message = `This request takes files up to ${formatSizeLimit(maxFileSize)}.`
      return new AppError('FILE_TOO_LARGE', { message })
    }
    const errorCode = checkUpload({ tier, fileSize, expirationDays, filesInUse }, limits)
    if (errorCode !== null) return limitError(errorCode, tier, limits)
    if (unfinishedBytes + countedBytes(fileSize) > maxUnfinishedBytes) {
      return new AppError('UPLOADS_UNFINISHED')
    }
    if (addedBytes + fileSize > availableBytes) return new AppError('STORAGE_CAP_REACHED')
    // This doesn't reserve the space, so the store also checks each chunk on arrival.
    const hasSpace = await store.hasSpaceFor(addedBytes + fileSize)
    return hasSpace ? null : new AppError('STORAGE_FULL')
  }
  const refusals: Refusal[] = []
  for (const [index, request] of requests.entries()) {
    const error = await findError(request)
    if (error !== null) refusals.push({ index, error })
    else {
      filesInUse += 1
      unfinishedBytes += countedBytes(request.fileSize)
      addedBytes += request.fileSize
    }
  }
  return refusals
}

/** @throws {AppError} the first refusal, with all of them in `errors`. */
function throwRefusals(refusals: readonly Refusal[]): void {
  const [first] = refusals
  if (!first) return
  const { code, status, message } = first.error
  const errors = refusals.map(({ index, error }) => ({
    index,
    code: error.code,
    message: error.message,
  }))
  throw new AppError(code, { status, message, errors })
}

/**
 * Returns the open uploads of requests that repeat their idempotency keys.
 * @throws {AppError} INVALID_INPUT unless all requests repeat the same files of one link.
 */
function matchEarlier(
  requests: readonly UploadRequest[],
  earlierUploads: ReadonlyMap<string | null, Upload>,
  linkId: string | undefined,
): Upload[] {
  const matches = requests.flatMap((request) => {
    const upload = earlierUploads.get(request.idempotencyKey ?? null)
    return upload && isSameFile(upload, request) ? upload : []
  })
  const expectedId = linkId ?? matches[0]?.link.id
  if (matches.length < requests.length || matches.some(({ link }) => link.id !== expectedId)) {
    throw new AppError('INVALID_INPUT', { message: 'idempotencyKey: Used for another file.' })
  }
  return matches
}

/** Returns the bytes that an upload counts towards `accountLimit`. */
function countedBytes(fileSize: number): number {
  return Math.max(fileSize, minUnfinishedBytes)
}

function isSameFile(upload: Upload, request: UploadRequest): boolean {
  return (
    upload.originalName === cleanFileName(request.fileName) &&
    upload.mimeType === request.fileType &&
    upload.size === request.fileSize &&
    (request.expirationDays ?? upload.link.expirationDays) === upload.link.expirationDays
  )
}

async function response(stores: Stores, upload: Upload, now: Date): Promise<StartedUpload> {
  const { storageKey, originalName, mimeType, size, partSize, link } = upload
  const storage = stores.get(upload.storage)
  const plan = planParts(size, partSize)
  // The parts come first: in a bucket, this creates the multipart upload that the whole-file URL
  // refers to.
  const firstPartRanges = () => rangesOf(upload, Math.min(plan.count, initialSignedParts))
  const parts = plan.count > 1 && {
    ...plan,
    urls: await signPartUrls(stores, upload, firstPartRanges(), now),
  }
  // Valid for as long as an idle upload is kept, so that it can be resumed.
  const expiresAt = new Date(now.getTime() + idleUploadTimeoutMs)
  return {
    uploadUrl: await storage.signUpload({ key: storageKey, size, mimeType, expiresAt }),
    cloudKey: storageKey,
    metadata: { originalName, mimeType, size, expirationDays: String(link.expirationDays) },
    shortCode: link.shortCode,
    ...(parts && { parts }),
    checksum: storage.checksum,
    store: storage.name,
    computesSha256: storage.computesSha256,
  }
}

/** Returns the ranges of an upload's first `count` parts. */
export function rangesOf({ size, partSize }: UploadRow, count: number): PartRange[] {
  return Array.from({ length: count }, (_, index) => partRange(size, partSize, index + 1))
}

/** Returns presigned URLs for the parts, keyed by part number and valid for an hour from `now`. */
export async function signPartUrls(
  stores: Stores,
  { storageKey, mimeType, storage }: UploadRow,
  parts: readonly PartRange[],
  now: Date,
): Promise<Record<string, string>> {
  const expiresAt = new Date(now.getTime() + partUrlLifetimeMs)
  const grants = parts.map((part) => ({ key: storageKey, mimeType, expiresAt, ...part }))
  const urls = await stores.get(storage).signParts(grants)
  return Object.fromEntries(urls.map((url, index) => [String(parts[index]?.partNumber), url]))
}
