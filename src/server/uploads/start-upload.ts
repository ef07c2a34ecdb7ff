import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import { cleanFileName } from '../../shared/rules/file-name.ts'
import { partSizeFor, planParts } from '../../shared/rules/part-plan.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { checkUpload, tierLimits } from '../../shared/rules/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { SessionUser } from '../http/session.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import { countFilesInUse, deleteUpload, lockOwner, takeSurplusUploads } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'
import { prepareInsertUpload, type UploadStatements } from './statements.ts'

/** As long as an idle upload is kept: a URL must not stop an upload that could still go on. */
const uploadUrlLifetimeMs = 24 * 60 * 60 * 1000

/**
 * An idle upload holds no place, but its bytes wait to be continued. This many of an owner whose files
 * are limited may, beside those that hold a place; else bytes could be piled up without an end.
 */
const maxIdleUploads = 3

type Wish = z.output<typeof uploads.getUploadUrl.body>
type Started = z.input<typeof uploads.getUploadUrl.response>

/**
 * Starts an upload (design §4): cleans the name, takes a place within the tier's limits and answers
 * a presigned URL that accepts exactly the announced bytes; larger files may come in parts. The owner's longest idle uploads make way
 * when there are too many.
 * @throws {AppError} FILE_TOO_LARGE, TIER_FILE_SIZE, TIER_EXPIRATION or TIER_FILE_COUNT; UNAVAILABLE
 * when storage is away, in which case no place is taken.
 */
export const startUpload = async (
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'> & Pick<UploadStatements, 'insertUpload'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
  wish: Wish,
): Promise<Started> => {
  const { clock, db, log, stores } = deps
  const now = clock()
  const storage = stores.current
  const cloudKey = newStorageKey()
  // Spec §5: file names are cleaned before upload.
  const originalName = cleanFileName(wish.fileName)
  const { fileSize: size, fileType: mimeType, expirationDays } = wish
  const parts = planParts(size, partSizeFor(size))

  const takePlace = async (
    insertUpload: UploadStatements['insertUpload'],
    tier: Tier,
    filesInUse: number,
  ) => {
    const verdict = checkUpload({ tier, fileSize: size, expirationDays, filesInUse })
    if (!verdict.ok) throw new AppError(verdict.code)
    await insertUpload({
      ownerId: owner.id,
      storage: storage.name,
      cloudKey,
      originalName,
      mimeType,
      size,
      expirationDays,
      partSize: parts.size,
      now,
    })
  }
  // Where nothing is counted, an owner's many uploads need not wait for one another.
  const { maxFiles } = tierLimits[owner.tier]
  if (maxFiles === null) await takePlace(deps.insertUpload, owner.tier, 0)
  else {
    const surplus = await db.transaction(async (tx) => {
      const locked = await lockOwner(tx, owner.id)
      if (!locked) throw new AppError('UNAUTHORIZED')
      const filesInUse = await countFilesInUse(tx, owner.id, now, null)
      await takePlace(prepareInsertUpload(tx), effectiveTier(locked, now), filesInUse)
      return takeSurplusUploads(tx, owner.id, maxFiles + maxIdleUploads)
    })
    await removeBytes(stores, surplus, log)
  }

  const until = new Date(now.getTime() + uploadUrlLifetimeMs)
  let uploadUrl: string
  try {
    uploadUrl = await storage.signUpload({ key: cloudKey, size, mimeType, until })
  } catch (error) {
    // Storage that is away must not use up the places of those who try again.
    await deleteUpload(db, owner.id, cloudKey)
    throw error
  }
  return {
    uploadUrl,
    cloudKey,
    metadata: { originalName, mimeType, size, expirationDays: String(expirationDays) },
    ...(parts.count > 1 && { parts }),
    checksum: storage.checksum,
  }
}
