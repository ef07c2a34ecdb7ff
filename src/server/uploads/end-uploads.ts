import type { Logger } from 'pino'
import { idleUploadKeptMs } from '../../shared/rules/files/kept-times.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { resetFutureActivity } from './queries.ts'
import { endIdleUploads, endUploads } from './removal-queries.ts'
import { removeBytes } from './remove-bytes.ts'

const batchSize = 100

/**
 * Gives up an upload. It no longer counts against its owner's limits, and usually its bytes are
 * removed. If their removal fails, a job tries it again.
 * @throws {AppError} UPLOAD_NOT_FOUND when the caller has no such open upload.
 */
export async function abortUpload(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  storageKey: string,
  log: Logger,
): Promise<void> {
  const ended = await endUploads(db, ownerId, [storageKey], clock())
  if (ended.length === 0) throw new AppError('UPLOAD_NOT_FOUND')
  await removeBytes({ clock, db, log, stores }, ended)
}

/**
 * Ends uploads that were idle for 24 hours, and removes their bytes.
 * @returns how many uploads were ended.
 */
export async function sweepUploads(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
): Promise<number> {
  const { clock, db } = deps
  await resetFutureActivity(db, clock())
  for (let ended = 0; ; ) {
    const now = clock()
    const before = new Date(now.getTime() - idleUploadKeptMs)
    const idle = await endIdleUploads(db, { before, now, limit: batchSize })
    await removeBytes(deps, idle)
    ended += idle.length
    if (idle.length < batchSize) return ended
  }
}
