import type { ErrorCode } from '../../shared/contract/errors.ts'
import { gibibyte, mebibyte } from '../../shared/rules/format/units.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { type Limits, largestFileSize } from '../../shared/rules/tiers/tier-limits.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { removeBytes } from './end-uploads.ts'
import { type Entry, pending, refuse } from './entries.ts'
import {
  idleSince,
  lockAllUploads,
  sumStored,
  sumUnfinished,
  type Upload,
  type Usage,
} from './queries.ts'
import { type EndedUpload, endIdleUploads } from './removal-queries.ts'

const batchSize = 10

/** Even an upload of one byte costs a row and a file. */
const minUnfinishedBytes = 8 * mebibyte

/**
 * Returns how many unconfirmed bytes an account may have. A browser sends one large file at a time,
 * so this is enough for several devices and some failed uploads.
 */
function accountLimit(limits: Limits): number {
  return 32 * Math.max(largestFileSize(limits), gibibyte)
}

/** A request to start an upload. */
type Start = Entry<{ fileSize: number }, unknown>

/** A limit on bytes. Uploads that would exceed it are refused with `code`. */
interface ByteLimit {
  bytes: number
  code: ErrorCode
  /** The owner whose idle uploads may be ended to make space; absent for those of all. */
  ownerId?: string
  charge(size: number): number
  /** Reads the bytes in use. A lock keeps other requests from adding some. */
  usage(): Promise<Usage>
}

/**
 * Limits the unconfirmed bytes of an account. Call it with the owner locked, before the uploads are
 * inserted.
 * @returns the idle uploads that it ended. The caller removes their bytes.
 */
export function enforceAccountLimit(
  tx: Deps['db'],
  starts: readonly Start[],
  { ownerId, limits, now }: { ownerId: string; limits: Limits; now: Date },
): Promise<EndedUpload[]> {
  return enforce(tx, starts, now, {
    bytes: accountLimit(limits),
    code: 'UPLOADS_UNFINISHED',
    ownerId,
    charge: (size) => Math.max(size, minUnfinishedBytes),
    usage: () => sumUnfinished(tx, ownerId, minUnfinishedBytes, now),
  })
}

/**
 * Enforces the administrator's cap on all files and open uploads. Call it before the uploads are
 * inserted.
 * @param cap in bytes; null for no cap.
 * @returns the idle uploads that it ended. The caller removes their bytes.
 */
export async function enforceStorageCap(
  tx: Deps['db'],
  starts: readonly Start[],
  { cap, now }: { cap: number | null; now: Date },
): Promise<EndedUpload[]> {
  if (cap === null || pending(starts).length === 0) return []
  await lockAllUploads(tx)
  return enforce(tx, starts, now, {
    bytes: cap,
    code: 'STORAGE_CAP_REACHED',
    charge: (size) => size,
    async usage() {
      const { files, uploads, idle } = await sumStored(tx, now)
      return { used: files + uploads, idle }
    },
  })
}

/**
 * Refuses the uploads that exceed a limit; earlier ones have priority. Ends uploads that were idle
 * for 15 minutes to make space, the longest idle first.
 * @throws {AppError} UNAVAILABLE when their owners resume them.
 */
async function enforce(
  tx: Deps['db'],
  starts: readonly Start[],
  now: Date,
  { bytes, code, ownerId, charge, usage }: ByteLimit,
): Promise<EndedUpload[]> {
  const { used, idle } = await usage()
  let wanted = 0
  for (const start of pending(starts)) {
    const added = charge(start.request.fileSize)
    if (used - idle + wanted + added > bytes) refuse(start, new AppError(code))
    else wanted += added
  }
  const ended: EndedUpload[] = []
  const which = { before: idleSince(now), now, limit: batchSize, ...(ownerId && { ownerId }) }
  for (let left = used; wanted > 0 && left + wanted > bytes; left = (await usage()).used) {
    const batch = await endIdleUploads(tx, which)
    if (batch.length === 0) throw new AppError('UNAVAILABLE')
    ended.push(...batch)
  }
  return ended
}

/**
 * Refuses the uploads for which the store has too little free space (STORAGE_FULL), as `enforce`
 * does. No space is reserved: the store also checks each chunk that arrives.
 */
export async function requireFreeSpace(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  starts: readonly Start[],
): Promise<void> {
  const { clock, db, log, stores } = deps
  const { current: store } = stores
  let wanted = 0
  for (const start of pending(starts)) {
    const bytes = wanted + start.request.fileSize
    while (start.result === undefined && !(await store.hasSpaceFor(bytes))) {
      const now = clock()
      const which = { before: idleSince(now), now, limit: batchSize, storage: store.name }
      const ended = await endIdleUploads(db, which)
      if (ended.length === 0) refuse(start, new AppError('STORAGE_FULL'))
      await removeBytes(deps, ended)
      if (ended.length > 0) log.info({ ended: ended.length }, 'Ended idle uploads to free space')
    }
    if (start.result === undefined) wanted = bytes
  }
}

/**
 * Returns how many files the owner may have after a confirm; null for no limit. That is the tier's
 * limit, now or when the upload was started, whichever is higher. After a change of tier, only the
 * limit now counts.
 */
export function maxFilesAfter(
  upload: Pick<Upload, 'tier' | 'maxFiles'>,
  tier: Tier,
  limits: Limits,
): number | null {
  const { maxFiles } = limits[tier]
  if (upload.tier !== tier) return maxFiles
  if (maxFiles === null || upload.maxFiles === null) return null
  return Math.max(maxFiles, upload.maxFiles)
}
