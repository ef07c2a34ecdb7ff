import type { z } from 'zod'
import type { File } from '../../shared/contract/files.ts'
import type { uploads } from '../../shared/contract/uploads.ts'
import { type ExpirationDays, firstLifetime } from '../../shared/rules/lifetime.ts'
import { hasRoom, tierLimits } from '../../shared/rules/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findFileByKey, newShortCode, toFile } from '../files/queries.ts'
import type { SessionUser } from '../http/session.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { prepareFindUpload, prepareMakeFile, type UploadStatements } from './prepared-queries.ts'
import { countFilesInUse, lockOwner, restartUpload, type Upload } from './queries.ts'

type Confirmation = z.output<typeof uploads.confirmUpload.body>

/**
 * Makes a finished upload a file with a link (design §4). The bytes are sealed, which compares
 * their real size and makes them durable, before the row that promises them is written. Confirming
 * twice, also at the same time, answers the same file. Of what the client sends only the key counts,
 * the start time within what the server itself saw, and the SHA-256 where storage reckons none.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key; UPLOAD_INCOMPLETE when bytes are
 * missing; SIZE_MISMATCH when there are too many and CHECKSUM_MISMATCH when they are others than the
 * client claims, in which case they are removed and can be sent anew; TIER_FILE_COUNT when the place
 * is taken, in which case the bytes stay and can be confirmed once there is room.
 */
export async function confirmUpload(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'> & Pick<UploadStatements, 'findUpload' | 'makeFile'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
  confirmation: Confirmation,
): Promise<File> {
  const { clock, db, findUpload } = deps
  const { cloudKey: storageKey, uploadStartTime, sha256: claimed } = confirmation
  const ownerId = owner.id
  const upload = await findUpload(ownerId, storageKey)
  if (!upload) return findConfirmed(db, ownerId, confirmation)
  const sealed = await seal(deps, upload)
  if (sealed !== null && claimed !== undefined && sealed !== claimed) {
    await discardBytes(deps, upload)
    throw new AppError('CHECKSUM_MISMATCH')
  }

  const finish = (makeFile: UploadStatements['makeFile']) => {
    const now = clock()
    return makeFile(upload.id, {
      shortCode: newShortCode(),
      createdAt: now,
      ...firstLifetime(now, upload.expirationDays as ExpirationDays),
      uploadDuration: secondsSince(uploadStartTime, upload.createdAt, now),
      sha256: sealed ?? claimed ?? null,
    })
  }
  // Where nothing is counted, an owner's many uploads need not wait for one another.
  const file = await (tierLimits[owner.tier].maxFiles === null
    ? finish(deps.makeFile)
    : db.transaction(async (tx) => {
        const hasPlace = await takePlace(tx, upload, clock())
        return hasPlace ? finish(prepareMakeFile(tx)) : undefined
      }))
  // Without a file another call was faster: what is there now decides.
  return file ? toFile(file) : confirmUpload(deps, owner, confirmation)
}

/**
 * Locks the owner until the transaction ends, so that nobody else takes the place that is found.
 * False when the upload has become a file while this call waited, which has its place.
 */
async function takePlace(tx: Db, upload: Upload, now: Date): Promise<boolean> {
  const { ownerId, storageKey } = upload
  const owner = await lockOwner(tx, ownerId)
  if (!owner) throw new AppError('UNAUTHORIZED')
  if (!(await prepareFindUpload(tx)(ownerId, storageKey))) return false
  const filesInUse = await countFilesInUse(tx, ownerId, now, upload)
  if (!hasRoom(effectiveTier(owner, now), filesInUse)) throw new AppError('TIER_FILE_COUNT')
  return true
}

async function findConfirmed(
  db: Db,
  ownerId: string,
  { cloudKey: storageKey, sha256: claimed }: Confirmation,
): Promise<File> {
  const row = await findFileByKey(db, ownerId, storageKey)
  if (!row) throw new AppError('UPLOAD_NOT_FOUND')
  const differs = row.sha256 !== null && claimed !== undefined && row.sha256 !== claimed
  if (differs) throw new AppError('CHECKSUM_MISMATCH')
  return toFile(row)
}

/** The SHA-256 of what is stored; null where this server does not see the bytes. */
async function seal(deps: Pick<Deps, 'db' | 'stores'>, upload: Upload): Promise<string | null> {
  try {
    return await deps.stores.of(upload.storage).seal(upload.storageKey, upload.size)
  } catch (error) {
    if (!(error instanceof SizeMismatch)) throw error
    // What is short can be continued; what is longer than announced is not what was promised.
    if (error.actual === null || error.actual < upload.size) {
      throw new AppError('UPLOAD_INCOMPLETE', { cause: error })
    }
    await discardBytes(deps, upload)
    throw new AppError('SIZE_MISMATCH', { cause: error })
  }
}

/**
 * Removes what was stored of an upload, which can then be sent anew. Never of one that another call
 * has made a file of since: that call and this one ask for the same row, and the first to have it
 * leaves the other without.
 */
function discardBytes({ db, stores }: Pick<Deps, 'db' | 'stores'>, upload: Upload): Promise<void> {
  return db.transaction(async (tx) => {
    if (await restartUpload(tx, upload.id))
      await stores.of(upload.storage).remove(upload.storageKey)
  })
}

/** Seconds the upload took, from the browser's start time as far as it lies within the upload's life. */
function secondsSince(start: Confirmation['uploadStartTime'], createdAt: Date, now: Date): number {
  const claimed = start === undefined ? Number.NaN : new Date(start).getTime()
  const from = Number.isNaN(claimed)
    ? createdAt.getTime()
    : Math.min(Math.max(claimed, createdAt.getTime()), now.getTime())
  return Math.max(0, now.getTime() - from) / 1000
}
