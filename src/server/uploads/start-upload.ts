import type { z } from 'zod'
import type { ErrorCode } from '../../shared/contract/errors.ts'
import type { uploads } from '../../shared/contract/uploads.ts'
import { cleanFileName } from '../../shared/rules/files/file-name.ts'
import { idleUploadKeptMs } from '../../shared/rules/files/kept-times.ts'
import {
  firstPartsSigned,
  partRange,
  partSizeFor,
  planParts,
} from '../../shared/rules/files/part-plan.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { checkUpload, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import type { Owner } from '../http/session.ts'
import { storageKeyMaker } from '../storage/storage-key.ts'
import type { Stores } from '../storage/stores.ts'
import { Batch, onlyAnswer, partition } from './batch.ts'
import { holdToAccountCeiling, holdToCap, holdToInstanceCeiling } from './hold-ceiling.ts'
import { signPartUrls } from './part-urls.ts'
import {
  type NewUpload,
  type OpenedUpload,
  prepareInsertUploads,
  type UploadStatements,
} from './prepared-queries.ts'
import { type EvictionTurns, promiseRoom } from './promise-room.ts'
import {
  endUploadsOf,
  findSlotsInUse,
  lockOwner,
  lockRepeated,
  takeSurplusUploads,
  type Upload,
} from './queries.ts'
import { removeBytes } from './remove-bytes.ts'
import type { UnfinishedTotal } from './unfinished-total.ts'
import { accountCeilingBytes, instanceCeilingBytes } from './upload-ceilings.ts'
import { tellWhatFits } from './what-fits.ts'

/**
 * How many open uploads an owner may have beyond the limit of files, if there is one. Idle uploads
 * do not count against that limit, but their bytes stay so that they can be continued. Without this
 * maximum, such bytes could grow without end.
 */
const maxIdleUploads = 3

type UploadRequest = z.output<typeof uploads.getUploadUrl.body>
type Started = z.input<typeof uploads.getUploadUrl.response>

/** A request of a batch whose upload is open. */
interface Opened {
  request: UploadRequest
  upload: OpenedUpload
  /** False if an earlier request has started the upload. */
  isNew: boolean
}

type StartDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'settings' | 'stores'> &
  Pick<UploadStatements, 'insertUploads'> & {
    evictionTurns: EvictionTurns
    unfinished: UnfinishedTotal
  }

/**
 * Starts one upload: see `startUploads`.
 * @throws {AppError} with what `startUploads` would refuse it.
 */
export async function startUpload(
  deps: StartDeps,
  owner: Owner,
  request: UploadRequest,
): Promise<Started> {
  return onlyAnswer(await startUploads(deps, owner, [request]))
}

/**
 * Starts uploads (design §4), each by itself. It cleans the name, checks the tier's limits and
 * returns a presigned URL that accepts exactly the announced bytes. A client may send a larger file
 * in parts; for this, the answer contains URLs for the first parts. If the owner has too many open
 * uploads, those that have been idle longest are ended. If the owner has already started an upload
 * of this file with the same idempotency key, that upload is returned, with new URLs.
 *
 * Returns how each start ended, in the order of the requests. It is refused with an {AppError}:
 * UNAUTHORIZED when the request names another owner; FILE_TOO_LARGE, TIER_FILE_SIZE,
 * TIER_EXPIRATION or TIER_FILE_COUNT; INVALID_INPUT when no tier offers the days, or another file
 * has the idempotency key; UNAVAILABLE when storage cannot be reached; STORAGE_FULL when it has no
 * room, or all accounts have too many unconfirmed bytes; STORAGE_CAP_REACHED when all accounts
 * store as much as the administrator allows; UPLOADS_UNFINISHED when the owner has too many
 * unconfirmed bytes. After an error the new upload does not count against the limit of files.
 * @throws {AppError} UNAUTHORIZED when the owner was deleted; UNAVAILABLE when idle uploads that
 * should make room are resumed meanwhile.
 * @throws when the database cannot be used.
 */
export async function startUploads(
  deps: StartDeps,
  owner: Owner,
  requests: readonly UploadRequest[],
): Promise<PromiseSettledResult<Started>[]> {
  const batch = new Batch<UploadRequest, Started>(requests)
  for (const request of requests) {
    if ((request.ownerId ?? owner.id) !== owner.id) {
      batch.refuse(request, new AppError('UNAUTHORIZED'))
    }
  }
  const { limits, cap } = await deps.settings.current()
  for (const round of batch.rounds(({ idempotencyKey }) => idempotencyKey)) {
    const now = deps.clock()
    const opened = await openUploads(deps, owner, round, { limits, now, batch })
    try {
      const fitting = await holdToCeilings(deps, opened, { limits, cap: cap.mostStored, batch })
      const promised = await batch.each(fitting, async (one) => {
        await promiseRoom(deps, one.upload, one.isNew)
        return one
      })
      await batch.each(promised, async ({ request, upload }) => {
        batch.answer(request, await answer(deps.stores, upload, now))
      })
    } finally {
      // An upload that was refused must not count against the limit of files. Otherwise each try
      // while storage is full or unreachable would add one more upload.
      const refused = opened.filter(({ request, isNew }) => isNew && !batch.isAnswered(request))
      const keys = refused.map(({ upload }) => upload.storageKey)
      await endUploadsOf(deps.db, owner.id, keys, deps.clock())
    }
  }
  return tellWhatFits(deps, requests, batch.results())
}

interface Opening {
  limits: Limits
  now: Date
  batch: Batch<UploadRequest, Started>
}

/**
 * Opens an upload for each request that the tier's limits allow, or finds the open upload that has
 * its idempotency key. Refuses the others.
 */
async function openUploads(
  deps: StartDeps,
  owner: Owner,
  requests: readonly UploadRequest[],
  { limits, now, batch }: Opening,
): Promise<Opened[]> {
  const { db, stores } = deps
  const ownerId = owner.id
  const newKey = storageKeyMaker()
  const refusalFor = (
    { fileSize, expirationDays }: UploadRequest,
    tier: Tier,
    filesInUse: number,
  ) => checkUpload({ tier, fileSize, expirationDays, filesInUse }, limits)

  const open = async (
    insertUploads: UploadStatements['insertUploads'],
    tier: Tier,
    admitted: readonly UploadRequest[],
  ): Promise<Opened[]> => {
    const { maxFiles, maxLifetimeDays } = limits[tier]
    const wanted = admitted.map((request): NewUpload => {
      const { fileName, fileType, fileSize, expirationDays, idempotencyKey = null } = request
      return {
        storage: stores.current.name,
        storageKey: newKey(),
        // Spec §5: file names are cleaned before upload.
        originalName: cleanFileName(fileName),
        mimeType: fileType,
        size: fileSize,
        expirationDays,
        partSize: partSizeFor(fileSize),
        tier,
        maxFiles,
        maxLifetimeDays,
        idempotencyKey,
      }
    })
    const uploads = await insertUploads(ownerId, wanted, now)
    return admitted.flatMap((request, at): Opened[] => {
      const upload = uploads[at]
      if (upload) return [{ request, upload, isNew: upload.storageKey === wanted[at]?.storageKey }]
      const message = 'idempotencyKey: It was given for another file.'
      batch.refuse(request, new AppError('INVALID_INPUT', { message }))
      return []
    })
  }

  // Where the owner's tier has no limit of files, there is nothing to count. The owner's uploads
  // need not wait for one another.
  const isUnlimited = limits[owner.tier].maxFiles === null
  const [uncounted, counted] = partition(
    requests,
    (request) => isUnlimited && refusalFor(request, owner.tier, 0) === null,
  )
  const opened = await open(deps.insertUploads, owner.tier, uncounted)
  if (counted.length === 0) return opened

  const taken = await db.transaction(async (tx) => {
    const locked = await lockOwner(tx, ownerId)
    if (!locked) throw new AppError('UNAUTHORIZED')
    const tier = effectiveTier(locked, now)
    const keys = counted.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    const repeated = await lockRepeated(tx, ownerId, keys)
    const inUse = await findSlotsInUse(tx, ownerId, now)
    let filesInUse = inUse.files + inUse.uploads.length
    const admitted = counted.filter((request) => {
      // A repeated request is not checked again. So its upload continues even if the limits were
      // lowered meanwhile.
      if (repeated.has(request.idempotencyKey ?? '')) return true
      const refusal = refusalFor(request, tier, filesInUse)
      if (refusal === null) filesInUse += 1
      else batch.refuse(request, limitError(refusal, tier, limits))
      return refusal === null
    })
    const opened = await open(prepareInsertUploads(tx), tier, admitted)
    const { maxFiles } = limits[tier]
    const surplus =
      maxFiles === null || opened.length === 0
        ? []
        : await takeSurplusUploads(tx, ownerId, maxFiles + maxIdleUploads, now)
    return { opened, surplus }
  })
  await removeBytes(deps, taken.surplus)
  return [...opened, ...taken.opened]
}

interface Ceilings {
  limits: Limits
  /** The administrator's cap in bytes; null means no cap. */
  cap: number | null
  batch: Batch<UploadRequest, Started>
}

/** Refuses the new uploads that pass a ceiling of bytes. Returns the uploads that do not. */
async function holdToCeilings(
  deps: StartDeps,
  opened: readonly Opened[],
  { limits, cap, batch }: Ceilings,
): Promise<Opened[]> {
  const tooMany = new Set<Upload>()
  const fitting = () =>
    opened.filter(({ upload, isNew }) => isNew && !tooMany.has(upload)).map(({ upload }) => upload)
  const refuse = (uploads: readonly Upload[], code: ErrorCode) => {
    for (const upload of uploads) tooMany.add(upload)
    for (const { request, upload } of opened) {
      if (uploads.includes(upload)) batch.refuse(request, new AppError(code))
    }
  }
  if (fitting().length === 0) return [...opened]
  const ofAccount = accountCeilingBytes(limits)
  refuse(await holdToAccountCeiling(deps, fitting(), ofAccount), 'UPLOADS_UNFINISHED')
  const total = await deps.unfinished.add(...fitting().map(({ size }) => size))
  const ofInstance = instanceCeilingBytes(limits)
  refuse(await holdToInstanceCeiling(deps, fitting(), total, ofInstance), 'STORAGE_FULL')
  refuse(await holdToCap(deps, fitting(), cap), 'STORAGE_CAP_REACHED')
  return opened.filter(({ upload }) => !tooMany.has(upload))
}

async function answer(stores: Stores, upload: Upload, now: Date): Promise<Started> {
  const { storageKey, originalName, mimeType, size } = upload
  const storage = stores.of(upload.storage)
  const plan = planParts(size, upload.partSize)
  // The parts are signed first, because in a bucket this also begins the multipart upload that the
  // URL for the whole file leads to.
  const parts = plan.count > 1 && { ...plan, urls: await signFirstParts(stores, upload, now) }
  // The URL works for as long as an idle upload is kept, so it still works when the upload is
  // continued.
  const until = new Date(now.getTime() + idleUploadKeptMs)
  return {
    uploadUrl: await storage.signUpload({ key: storageKey, size, mimeType, until }),
    cloudKey: storageKey,
    metadata: { originalName, mimeType, size, expirationDays: String(upload.expirationDays) },
    ...(parts && { parts }),
    checksum: storage.checksum,
    store: storage.name,
    computesSha256: storage.computesSha256,
  }
}

function signFirstParts(stores: Stores, upload: Upload, now: Date) {
  const { size, partSize } = upload
  const count = Math.min(planParts(size, partSize).count, firstPartsSigned)
  const parts = Array.from({ length: count }, (_, at) => partRange(size, partSize, at + 1))
  return signPartUrls(stores, upload, parts, now)
}
