import type { z } from 'zod'
import { maxFilesPerLink } from '../../shared/contract/links.ts'
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
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { checkUpload, type Limits, largestFileSize } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { insertLinks, type LinkRow, lockActiveLink, newShortCode } from '../links/queries.ts'
import { hasAllDeliveries, lockOpenRequest, type RequestRow } from '../requests/queries.ts'
import type { Storage } from '../storage/storage.ts'
import { storageKeyMaker } from '../storage/storage-key.ts'
import type { Stores } from '../storage/stores.ts'
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
  countUploads,
  insertUploads,
  lockOwner,
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

type UploadRequest = z.output<typeof uploads.getUploadUrl.body>
type StartedUpload = z.input<typeof uploads.getUploadUrl.response>

/** A file to upload. Its link decides how long it lives if the link already exists. */
type LinkUploadRequest = Omit<UploadRequest, 'expirationDays' | 'ownerId'> & {
  expirationDays?: number
}

interface StartEntry extends Entry<LinkUploadRequest, StartedUpload> {
  upload?: Upload
  /** False if an earlier request with the same key started the upload. */
  isNew?: boolean
}

/** The link that new uploads belong to. With `requestId`, senders of that request upload to it. */
export type LinkTarget =
  | { kind: 'each'; requestId?: undefined }
  | { kind: 'new'; options: LinkOptions; requestId?: string }
  | { kind: 'existing'; shortCode: string; requestId?: string }

type LinkOptions = {
  [Name in
    | 'title'
    | 'message'
    | 'passwordHash'
    | 'maxDownloads'
    | 'requestId'
    | 'senderName'
    | 'shared']?: LinkRow[Name] | undefined
}

type StartDeps = Pick<Deps, 'clock' | 'db' | 'settings' | 'stores'>

/**
 * Starts uploads (design §4). Enforces the limits and returns presigned URLs for exactly the
 * announced bytes: one for the whole file and, if the file is large, one for each of the first
 * parts. If an upload of the same file is open under the same idempotency key, returns that upload
 * with new URLs.
 *
 * Returns one result per request, in order. A refused start leaves no upload. The errors are
 * UNAUTHORIZED for another owner; FILE_TOO_LARGE, TIER_FILE_SIZE, TIER_EXPIRATION, TIER_FILE_COUNT;
 * INVALID_INPUT if no tier offers the days, or the idempotency key belongs to another file;
 * UPLOADS_UNFINISHED for too many unconfirmed bytes; STORAGE_CAP_REACHED, STORAGE_FULL; UNAVAILABLE
 * if storage can't be reached.
 * @throws {AppError} UNAUTHORIZED if the owner was deleted.
 */
export async function startUploads(
  deps: StartDeps,
  ownerId: string,
  requests: readonly UploadRequest[],
): Promise<PromiseSettledResult<StartedUpload>[]> {
  const starts = requests.map((request): StartEntry => ({ request }))
  for (const [index, start] of starts.entries()) {
    if ((requests[index]?.ownerId ?? ownerId) !== ownerId) {
      reject(start, new AppError('UNAUTHORIZED'))
    }
  }
  const { unique, repeats } = splitRepeats(pending(starts), ({ request }) => request.idempotencyKey)
  await startAll(deps, ownerId, unique)
  for (const repeat of repeats) await startAll(deps, ownerId, [repeat])
  return resultsOf(starts)
}

/**
 * Starts uploads that belong to one link, all or none. Returns the link and the uploads, in the
 * order of `requests`.
 * @throws {AppError} the first error that `startUploads` would return, with those of all refused
 * requests in `errors`; LINK_NOT_FOUND if the owner has no such active link; INVALID_INPUT if the
 * link would have too many files; REQUEST_NOT_FOUND if the request has closed, REQUEST_FULL if it
 * takes no more.
 */
export async function startLink(
  deps: StartDeps,
  ownerId: string,
  requests: readonly LinkUploadRequest[],
  target: Exclude<LinkTarget, { kind: 'each' }>,
): Promise<{ linkId: string; shortCode: string; uploads: StartedUpload[] }> {
  const starts = requests.map((request): StartEntry => ({ request }))
  await startAll(deps, ownerId, starts, target)
  throwRejections(starts)
  const results = resultsOf(starts)
  const uploads = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const link = starts[0]?.upload?.link
  if (!link) throw new Error('Expected the link of the uploads.')
  return { linkId: link.id, shortCode: link.shortCode, uploads }
}

/** @throws {AppError} if an entry was rejected. */
function throwRejections(starts: readonly StartEntry[]): void {
  const rejections = starts.flatMap(({ result }, index) =>
    result?.status === 'rejected' ? { index, reason: result.reason } : [],
  )
  const [first] = rejections
  if (!first) return
  if (!(first.reason instanceof AppError)) throw first.reason
  const { code, status, message } = first.reason
  const errors = rejections.flatMap(({ index, reason }) =>
    reason instanceof AppError ? { index, code: reason.code, message: reason.message } : [],
  )
  throw new AppError(code, { status, message, errors, cause: first.reason.cause })
}

async function startAll(
  deps: StartDeps,
  ownerId: string,
  starts: readonly StartEntry[],
  target: LinkTarget = { kind: 'each' },
): Promise<void> {
  if (starts.length === 0) return
  const now = deps.clock()
  await openUploads(deps, ownerId, starts, target, now)
  try {
    await forEachPending(starts, async (start) => {
      if (start.upload) succeed(start, await response(deps.stores, start.upload, now))
    })
  } finally {
    const isAnyRejected =
      target.kind !== 'each' && starts.some(({ result }) => result?.status !== 'fulfilled')
    const failedStarts = starts.filter(
      ({ isNew, result }) => isNew && (isAnyRejected || result?.status !== 'fulfilled'),
    )
    const keys = failedStarts.flatMap(({ upload }) => upload?.storageKey ?? [])
    if (keys.length > 0) await endUploads(deps.db, { ownerId, linkId: null }, keys, deps.clock())
  }
}

/** Assigns an upload to each start request, or refuses it, in order, while the owner is locked. */
async function openUploads(
  { db, settings, stores }: StartDeps,
  ownerId: string,
  starts: readonly StartEntry[],
  target: LinkTarget,
  now: Date,
): Promise<void> {
  const { limits, cap } = await settings.current()
  const { current: store } = stores
  await db.transaction(async (tx) => {
    const owner = await lockOwner(tx, ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const { fileRequest, existing } = await lockTarget(tx, ownerId, target, now)
    const tier = effectiveTier(owner, now)
    const { maxFiles, maxLifetimeDays } = limits[tier]
    const keys = starts.flatMap(({ request }) => request.idempotencyKey ?? [])
    const resumedUploads = await resumeRepeated(tx, ownerId, keys, now)
    const { open, active, bytes } = await countUploads(tx, ownerId, minUnfinishedBytes, now)
    const { maxStored } = cap
    const availableBytes =
      maxStored === null ? Number.POSITIVE_INFINITY : maxStored - (await sumStoredUnderLock(tx))
    const usage: Usage = {
      files: maxFiles === null ? 0 : active + (await countActiveFiles(tx, ownerId, now)),
      unfinishedBytes: bytes,
      addedBytes: 0,
    }
    const allowance = { tier, limits, availableBytes, store, fileRequest }

    const newStarts: StartEntry[] = []
    for (const start of starts) {
      const { request } = start
      // A repeated start is accepted even if the limits have been lowered since.
      const earlierUpload = request.idempotencyKey && resumedUploads.get(request.idempotencyKey)
      if (earlierUpload) {
        resume(start, earlierUpload)
        continue
      }
      const error = await findStartError(allowance, usage, request)
      if (error !== null) reject(start, error)
      else {
        usage.files += 1
        usage.unfinishedBytes += countedBytes(request.fileSize)
        usage.addedBytes += request.fileSize
        newStarts.push(start)
      }
    }
    if (target.kind !== 'each') {
      throwRejections(starts)
      requireSameLink(starts, newStarts, existing)
    }
    const maxOpen = maxFiles === null ? Number.POSITIVE_INFINITY : maxFiles + maxIdleUploads
    const isSurplus = open + newStarts.length > maxOpen
    if (fileRequest && newStarts.length > 0) {
      await requireRoom(tx, fileRequest, { isNewDelivery: existing === null, isSurplus })
    }

    const places =
      existing === null
        ? await insertNewLinks(tx, newStarts, target, { ownerId, maxLifetimeDays, now })
        : placesAfter(existing, newStarts.length)
    const newKey = storageKeyMaker()
    const rows = newStarts.map(({ request }, index) => ({
      ownerId,
      linkId: (places[index] as Place).link.id,
      position: (places[index] as Place).position,
      storage: store.name,
      storageKey: newKey(),
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
    for (const [index, upload] of (await insertUploads(tx, rows)).entries()) {
      const { link } = places[index] as Place
      Object.assign(newStarts[index] as StartEntry, { upload: { ...upload, link }, isNew: true })
    }
    if (isSurplus) await endSurplusUploads(tx, ownerId, maxOpen, now)
  })
}

/**
 * Locks the request whose sender uploads, and the link that files are added to.
 * @throws {AppError} REQUEST_NOT_FOUND if the request has closed; LINK_NOT_FOUND.
 */
async function lockTarget(tx: Db, ownerId: string, target: LinkTarget, now: Date) {
  const { requestId } = target
  const fileRequest = requestId ? await lockOpenRequest(tx, requestId, now) : null
  const existing =
    target.kind === 'existing' ? await lockActiveLink(tx, ownerId, target.shortCode, now) : null
  return { fileRequest, existing }
}

/** What the owner's files and uploads use, including the starts accepted so far. */
interface Usage {
  files: number
  unfinishedBytes: number
  addedBytes: number
}

interface Allowance {
  tier: Tier
  limits: Limits
  /** What the storage cap leaves. */
  availableBytes: number
  store: Storage
  /** The request whose sender uploads; null for the owner's own uploads. */
  fileRequest: RequestRow | null
}

/** Returns why an upload can't start, or null. */
async function findStartError(
  { tier, limits, availableBytes, store, fileRequest }: Allowance,
  { files, unfinishedBytes, addedBytes }: Usage,
  { fileSize, expirationDays }: LinkUploadRequest,
): Promise<AppError | null> {
  const maxFileSize = fileRequest?.maxFileSize ?? Number.POSITIVE_INFINITY
  if (fileSize > maxFileSize) {
    const message = `This request takes files up to ${formatSizeLimit(maxFileSize)}.`
    return new AppError('FILE_TOO_LARGE', { message })
  }
  const errorCode = checkUpload({ tier, fileSize, expirationDays, filesInUse: files }, limits)
  if (errorCode !== null) return limitError(errorCode, tier, limits)
  // Senders can use only half, so that they can't block the owner's own uploads.
  const maxUnfinishedBytes = accountLimit(limits) / (fileRequest ? 2 : 1)
  if (unfinishedBytes + countedBytes(fileSize) > maxUnfinishedBytes) {
    return new AppError('UPLOADS_UNFINISHED')
  }
  if (addedBytes + fileSize > availableBytes) return new AppError('STORAGE_CAP_REACHED')
  // This doesn't reserve the space, so the store also checks each chunk on arrival.
  const hasSpace = await store.hasSpaceFor(addedBytes + fileSize)
  return hasSpace ? null : new AppError('STORAGE_FULL')
}

/** @throws {AppError} REQUEST_FULL if a request can't take more uploads. */
async function requireRoom(
  tx: Db,
  fileRequest: RequestRow,
  { isNewDelivery, isSurplus }: { isNewDelivery: boolean; isSurplus: boolean },
): Promise<void> {
  const isOneTooMany = isNewDelivery && (await hasAllDeliveries(tx, fileRequest))
  // A sender must not end the owner's idle uploads.
  if (isOneTooMany || isSurplus) throw new AppError('REQUEST_FULL')
}

/** Assigns an open upload to a request that repeats its idempotency key. */
function resume(start: StartEntry, upload: Upload): void {
  if (isSameFile(upload, start.request)) start.upload = upload
  else {
    const message = 'idempotencyKey: Used for another file.'
    reject(start, new AppError('INVALID_INPUT', { message }))
  }
}

/** Where a new file belongs. */
interface Place {
  link: LinkRow
  position: number
}

type ExistingLink = Awaited<ReturnType<typeof lockActiveLink>>

/**
 * Checks that a list of files that repeats an idempotency key repeats all of it, for the same link.
 * @throws {AppError} INVALID_INPUT
 */
function requireSameLink(
  starts: readonly StartEntry[],
  newStarts: readonly StartEntry[],
  existing: ExistingLink | null,
): void {
  const resumedLinks = starts.flatMap(({ upload }) => upload?.link.id ?? [])
  if (resumedLinks.length === 0) return
  const linkId = existing?.link.id ?? resumedLinks[0]
  if (newStarts.length === 0 && resumedLinks.every((id) => id === linkId)) return
  const message = 'idempotencyKey: Used for other files.'
  throw new AppError('INVALID_INPUT', { message })
}

/**
 * Returns the places of files that are added to a link.
 * @throws {AppError} INVALID_INPUT if the link would have too many files.
 */
function placesAfter({ link, fileCount, nextPosition }: ExistingLink, addedCount: number): Place[] {
  if (fileCount + addedCount > maxFilesPerLink) {
    const message = `files: A link has ${groupDigits(maxFilesPerLink)} files at most.`
    throw new AppError('INVALID_INPUT', { message })
  }
  return Array.from({ length: addedCount }, (_, index) => ({
    link,
    position: nextPosition + index,
  }))
}

/** Inserts a link for each new upload, or one for all of them. Returns the place of each upload. */
async function insertNewLinks(
  tx: Db,
  newStarts: readonly StartEntry[],
  target: LinkTarget,
  { ownerId, maxLifetimeDays, now }: { ownerId: string; maxLifetimeDays: number; now: Date },
): Promise<Place[]> {
  const isShared = target.kind === 'new'
  const linkStarts = isShared ? newStarts.slice(0, 1) : newStarts
  const newLinks = await insertLinks(
    tx,
    linkStarts.map(({ request: { expirationDays = 0 } }) => ({
      ...(isShared && target.options),
      ownerId,
      shortCode: newShortCode(),
      expirationDays,
      maxLifetimeDays,
      createdAt: now,
      // The link has no file yet that could outlive the owner's choice.
      ...firstLifetime(now, { expirationDays: maxLifetimeDays, maxLifetimeDays }),
    })),
  )
  return newStarts.map((_, index) => ({
    link: newLinks[isShared ? 0 : index] as LinkRow,
    position: isShared ? index : 0,
  }))
}

/** Returns the bytes that an upload counts towards `accountLimit`. */
function countedBytes(fileSize: number): number {
  return Math.max(fileSize, minUnfinishedBytes)
}

function isSameFile(upload: Upload, request: LinkUploadRequest): boolean {
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
