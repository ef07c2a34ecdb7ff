import type { Logger } from 'pino'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { endUploadsOf } from './queries.ts'
import { removeBytes } from './remove-bytes.ts'

/**
 * Gives up an upload. When this resolves, the upload no longer counts against its owner's limit of
 * files, and usually its bytes are removed. If their removal fails, a job tries it again.
 * @throws {AppError} UPLOAD_NOT_FOUND when the caller has no such open upload.
 */
export async function abortUpload(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  storageKey: string,
  log: Logger,
): Promise<void> {
  const [upload] = await endUploadsOf(db, ownerId, [storageKey], clock())
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  await removeBytes({ clock, db, log, stores }, [upload])
}
