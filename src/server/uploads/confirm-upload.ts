import type { z } from 'zod'
import type { File } from '../../shared/contract/files.ts'
import type { uploads } from '../../shared/contract/uploads.ts'
import { type ExpirationDays, firstLifetime } from '../../shared/rules/lifetime.ts'
import { hasRoom, tierLimits } from '../../shared/rules/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findFileByKey, insertFile, issueShortCode, toFile } from '../files/queries.ts'
import type { SessionUser } from '../http/session.ts'
import { SizeMismatch } from '../storage/storage.ts'
import { countFilesInUse, deleteUpload, findUpload, lockOwner, type Upload } from './queries.ts'

type Confirmation = z.output<typeof uploads.confirmUpload.body>

/**
 * Makes a finished upload a file with a link (design §4). The bytes are sealed, which compares
 * their real size and makes them durable, before the row that promises them is written. Confirming
 * twice, also at the same time, answers the same file. Of what the client sends only the key counts,
 * and the start time within what the server itself saw.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key; UPLOAD_INCOMPLETE when bytes are
 * missing, SIZE_MISMATCH when there are too many (they are removed); TIER_FILE_COUNT when the place
 * is taken, in which case the bytes stay and can be confirmed once there is room.
 */
export const confirmUpload = async (
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
  { cloudKey, uploadStartTime }: Confirmation,
): Promise<File> => {
  const { clock, db } = deps
  const ownerId = owner.id
  const upload = await findUpload(db, ownerId, cloudKey)
  if (!upload) return findConfirmed(db, ownerId, cloudKey)
  await seal(deps, upload)

  return db.transaction(async (tx) => {
    const now = clock()
    // Where nothing is counted, an owner's many uploads need not wait for one another.
    if (tierLimits[owner.tier].maxFiles !== null) await assertRoom(tx, ownerId, now, cloudKey)
    // Whoever comes second waits here for the first, and finds the upload gone and the file there.
    if (!(await deleteUpload(tx, ownerId, cloudKey))) return findConfirmed(tx, ownerId, cloudKey)
    const row = await insertFile(tx, {
      ownerId,
      storage: upload.storage,
      storageKey: cloudKey,
      originalName: upload.originalName,
      mimeType: upload.mimeType,
      size: upload.size,
      shortCode: await issueShortCode(tx, now),
      createdAt: now,
      ...firstLifetime(now, upload.expirationDays as ExpirationDays),
      uploadDuration: secondsSince(uploadStartTime, upload.createdAt, now),
    })
    return toFile(row)
  })
}

/** Locks the owner until the transaction ends, so that nobody else takes the place that is found. */
const assertRoom = async (tx: Db, ownerId: string, now: Date, cloudKey: string): Promise<void> => {
  const owner = await lockOwner(tx, ownerId)
  if (!owner) throw new AppError('UNAUTHORIZED')
  const filesInUse = await countFilesInUse(tx, ownerId, now, cloudKey)
  if (!hasRoom(effectiveTier(owner, now), filesInUse)) throw new AppError('TIER_FILE_COUNT')
}

const findConfirmed = async (db: Db, ownerId: string, cloudKey: string): Promise<File> => {
  const row = await findFileByKey(db, ownerId, cloudKey)
  if (!row) throw new AppError('UPLOAD_NOT_FOUND')
  return toFile(row)
}

const seal = async ({ stores }: Pick<Deps, 'stores'>, upload: Upload): Promise<void> => {
  const { cloudKey, size } = upload
  const storage = stores.of(upload.storage)
  try {
    await storage.seal(cloudKey, size)
  } catch (error) {
    if (!(error instanceof SizeMismatch)) throw error
    // What is short can be continued; what is longer than announced is not what was promised.
    if (error.actual === null || error.actual < size) {
      throw new AppError('UPLOAD_INCOMPLETE', { cause: error })
    }
    await storage.remove(cloudKey)
    throw new AppError('SIZE_MISMATCH', { cause: error })
  }
}

/** Seconds the upload took, from the browser's start time as far as it lies within the upload's life. */
const secondsSince = (
  start: Confirmation['uploadStartTime'],
  createdAt: Date,
  now: Date,
): number => {
  const claimed = start === undefined ? Number.NaN : new Date(start).getTime()
  const from = Number.isNaN(claimed)
    ? createdAt.getTime()
    : Math.min(Math.max(claimed, createdAt.getTime()), now.getTime())
  return Math.max(0, now.getTime() - from) / 1000
}
