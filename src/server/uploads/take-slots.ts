import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { hasRoom, type Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Db } from '../deps.ts'
import { AppError, limitError } from '../errors.ts'
import { prepareFindUploads } from './prepared-queries.ts'
import { findSlotsInUse, lockOwner, type SlotsInUse, type Upload } from './queries.ts'

/** The part of an upload that tells which of two began first. */
type Begun = Pick<Upload, 'id' | 'createdAt'>

/** Which uploads may become files. */
interface Divided<T> {
  taken: ReadonlySet<T>
  refused: ReadonlySet<T>
}

interface Slots extends Divided<Upload> {
  /** The error for those that are refused. */
  refusal: AppError
}

/**
 * Checks for each of these uploads whether the tier allows another file. Locks the owner until the
 * transaction ends, so that no parallel request can use the last slot of the limit. An upload that
 * became a file, ended, or was started again before this call got the lock is neither taken nor
 * refused.
 * @throws {AppError} UNAUTHORIZED when the owner no longer exists.
 */
export async function takeSlots(
  tx: Db,
  ownerId: string,
  uploads: readonly Upload[],
  limits: Limits,
  now: Date,
): Promise<Slots> {
  const owner = await lockOwner(tx, ownerId)
  if (!owner) throw new AppError('UNAUTHORIZED')
  const tier = effectiveTier(owner, now)
  const keys = uploads.map(({ storageKey }) => storageKey)
  const found = await prepareFindUploads(tx)(ownerId, keys)
  const open = uploads.filter(({ id, storageKey }) => found.get(storageKey)?.id === id)
  const inUse = await findSlotsInUse(tx, ownerId, now)
  return {
    ...divideSlots(open, inUse, (upload) => maxFilesOf(upload, tier, limits)),
    refusal: limitError('TIER_FILE_COUNT', tier, limits),
  }
}

/**
 * Decides which of these uploads may become files, one after the other. An upload that may become
 * one already counts as a file when the next one is decided. `maxFiles` returns how many files the
 * owner may have for an upload; null means no limit.
 */
export function divideSlots<T extends Begun>(
  uploads: readonly T[],
  inUse: SlotsInUse,
  maxFiles: (upload: T) => number | null,
): Divided<T> {
  const [taken, refused] = [new Set<T>(), new Set<T>()]
  let left = inUse
  for (const upload of uploads) {
    if (hasRoom(maxFiles(upload), slotsBefore(upload, left))) {
      taken.add(upload)
      left = { files: left.files + 1, uploads: left.uploads.filter(({ id }) => id !== upload.id) }
    } else refused.add(upload)
  }
  return { taken, refused }
}

/**
 * Counts what goes before an upload that is confirmed: all files, but only the uploads that began
 * after it. They may have taken its slot while it was idle. If they and the files fill the limit,
 * the confirmation is refused until a slot is free.
 */
function slotsBefore(upload: Begun, { files, uploads }: SlotsInUse): number {
  const began = upload.createdAt.getTime()
  const later = uploads.filter(({ createdAt, id }) => {
    const after = createdAt.getTime() - began
    return after > 0 || (after === 0 && id > upload.id)
  })
  return files + later.length
}

/**
 * Returns how many files the owner may have after this upload has become one: the tier's limit now,
 * or its limit when the upload was started, whichever is higher. If the upload was started in
 * another tier, only the limit now counts. null means no limit.
 */
export function maxFilesOf(
  upload: Pick<Upload, 'tier' | 'maxFiles'>,
  tier: Tier,
  limits: Limits,
): number | null {
  const { maxFiles } = limits[tier]
  if (upload.tier !== tier) return maxFiles
  if (maxFiles === null || upload.maxFiles === null) return null
  return Math.max(maxFiles, upload.maxFiles)
}
