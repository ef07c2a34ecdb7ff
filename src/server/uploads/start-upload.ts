import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import { cleanFileName } from '../../shared/rules/file-name.ts'
import {
  firstPartsSigned,
  partRange,
  partSizeFor,
  planParts,
} from '../../shared/rules/part-plan.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { checkUpload } from '../../shared/rules/tier-limits.ts'
import { dayInMs } from '../../shared/rules/time-units.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { Deps } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import type { SessionUser } from '../http/session.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import type { Stores } from '../storage/stores.ts'
import { holdToAccountCeiling, holdToCap, holdToInstanceCeiling } from './hold-ceiling.ts'
import { signPartUrls } from './part-urls.ts'
import {
  type OpenedUpload,
  prepareInsertUpload,
  type UploadStatements,
} from './prepared-queries.ts'
import { promiseRoom } from './promise-room.ts'
import {
  countFilesInUse,
  endUploadOf,
  lockOwner,
  lockRepeated,
  takeSurplusUploads,
  type Upload,
} from './queries.ts'
import { removeBytes } from './remove-bytes.ts'
import type { UnfinishedTotal } from './unfinished-total.ts'
import { accountCeilingBytes, instanceCeilingBytes } from './upload-ceilings.ts'

/**
 * How long a presigned URL of an upload works: for as long as the server keeps an idle upload. So
 * the URL still works when the upload is continued.
 */
const uploadUrlLifetimeMs = dayInMs

/**
 * How many idle uploads an owner with a limit of files may keep. Idle uploads do not count against
 * that limit, but their bytes stay so that they can be continued. Without this maximum, such bytes
 * could grow without end.
 */
const maxIdleUploads = 3

type UploadRequest = z.output<typeof uploads.getUploadUrl.body>
type Started = z.input<typeof uploads.getUploadUrl.response>

/**
 * Starts an upload (design §4). It cleans the name, checks the tier's limits and returns a
 * presigned URL that accepts exactly the announced bytes. A client may send a larger file in parts;
 * for this, the answer contains URLs for the first parts. If the owner has too many open uploads,
 * those that have been idle longest are ended. If the owner has already started an upload of this
 * file with the same idempotency key, that upload is returned, with new URLs.
 * @throws {AppError} UNAUTHORIZED when the request names another owner; FILE_TOO_LARGE,
 * TIER_FILE_SIZE, TIER_EXPIRATION or TIER_FILE_COUNT; INVALID_INPUT when no tier offers the days,
 * or another file has the idempotency key; UNAVAILABLE when storage cannot be reached; STORAGE_FULL
 * when it has no room; STORAGE_CAP_REACHED when all accounts store as much as the administrator
 * allows; UPLOADS_UNFINISHED when the owner has too many unconfirmed bytes. After an error the new
 * upload does not count against the limit of files.
 */
export async function startUpload(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'settings' | 'stores'> &
    Pick<UploadStatements, 'insertUpload'> & { unfinished: UnfinishedTotal },
  owner: Pick<SessionUser, 'id' | 'tier'>,
  request: UploadRequest,
): Promise<Started> {
  const { clock, db, settings, stores } = deps
  const { ownerId = owner.id, fileSize, expirationDays, idempotencyKey = null } = request
  if (ownerId !== owner.id) throw new AppError('UNAUTHORIZED')
  const now = clock()
  const storageKey = newStorageKey()

  const { limits, cap } = await settings.current()

  const refusalFor = (tier: Tier, filesInUse: number) =>
    checkUpload({ tier, fileSize, expirationDays, filesInUse }, limits)
  const open = async (insertUpload: UploadStatements['insertUpload'], tier: Tier) => {
    const { maxFiles, maxLifetimeDays } = limits[tier]
    const upload = await insertUpload({
      ownerId,
      storage: stores.current.name,
      storageKey,
      // Spec §5: file names are cleaned before upload.
      originalName: cleanFileName(request.fileName),
      mimeType: request.fileType,
      size: fileSize,
      expirationDays,
      partSize: partSizeFor(fileSize),
      tier,
      maxFiles,
      maxLifetimeDays,
      idempotencyKey,
      now,
    })
    if (upload) return upload
    throw new AppError('INVALID_INPUT', {
      message: 'idempotencyKey: It was given for another file.',
    })
  }
  let upload: OpenedUpload
  if (limits[owner.tier].maxFiles === null && refusalFor(owner.tier, 0) === null) {
    // The owner's tier has no limit of files, so there is nothing to count. The owner's uploads
    // need not wait for one another.
    upload = await open(deps.insertUpload, owner.tier)
  } else {
    const taken = await db.transaction(async (tx) => {
      const locked = await lockOwner(tx, ownerId)
      if (!locked) throw new AppError('UNAUTHORIZED')
      const tier = effectiveTier(locked, now)
      // A repeated request is not checked again. So its upload continues even if the limits were
      // lowered meanwhile.
      const isRepeated =
        idempotencyKey !== null && (await lockRepeated(tx, ownerId, idempotencyKey))
      if (!isRepeated) {
        const refusal = refusalFor(tier, await countFilesInUse(tx, ownerId, now, null))
        if (refusal !== null) throw limitError(refusal, tier, limits)
      }
      const upload = await open(prepareInsertUpload(tx), tier)
      const { maxFiles } = limits[tier]
      const surplus =
        maxFiles === null
          ? []
          : await takeSurplusUploads(tx, ownerId, maxFiles + maxIdleUploads, now)
      return { upload, surplus }
    })
    await removeBytes(deps, taken.surplus)
    upload = taken.upload
  }

  const isNew = upload.storageKey === storageKey
  try {
    if (isNew) {
      await holdToAccountCeiling(deps, upload, accountCeilingBytes(limits))
      const total = await deps.unfinished.add(fileSize)
      await holdToInstanceCeiling(deps, upload, total, instanceCeilingBytes(limits))
      await holdToCap(deps, upload, cap.mostStored)
    }
    await promiseRoom(deps, upload, isNew)
    return await answer(stores, upload, now)
  } catch (error) {
    // The upload must not count against the limit of files. Otherwise each try while storage is
    // full or unreachable would add one more upload.
    if (isNew) await endUploadOf(db, ownerId, storageKey, clock())
    throw error
  }
}

async function answer(stores: Stores, upload: Upload, now: Date): Promise<Started> {
  const { storageKey, originalName, mimeType, size } = upload
  const storage = stores.of(upload.storage)
  const plan = planParts(size, upload.partSize)
  // The parts are signed first, because in a bucket this also begins the multipart upload that the
  // URL for the whole file leads to.
  const parts = plan.count > 1 && { ...plan, urls: await signFirstParts(stores, upload, now) }
  const until = new Date(now.getTime() + uploadUrlLifetimeMs)
  return {
    uploadUrl: await storage.signUpload({ key: storageKey, size, mimeType, until }),
    cloudKey: storageKey,
    metadata: { originalName, mimeType, size, expirationDays: String(upload.expirationDays) },
    ...(parts && { parts }),
    checksum: storage.checksum,
    computesSha256: storage.computesSha256,
  }
}

function signFirstParts(stores: Stores, upload: Upload, now: Date) {
  const { size, partSize } = upload
  const count = Math.min(planParts(size, partSize).count, firstPartsSigned)
  const parts = Array.from({ length: count }, (_, at) => partRange(size, partSize, at + 1))
  return signPartUrls(stores, upload, parts, now)
}
