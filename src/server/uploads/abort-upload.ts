import type { Logger } from 'pino'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { deleteUpload } from './queries.ts'

/**
 * Gives up an upload: its place is free as soon as this answers. Bytes that cannot be removed now are
 * left to the orphan sweep.
 * @throws {AppError} UPLOAD_NOT_FOUND when the caller has no such open upload.
 */
export const abortUpload = async (
  { db, stores }: Pick<Deps, 'db' | 'stores'>,
  ownerId: string,
  cloudKey: string,
  log: Logger,
): Promise<void> => {
  const upload = await deleteUpload(db, ownerId, cloudKey)
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  try {
    await stores.of(upload.storage).remove(cloudKey)
  } catch (error) {
    log.warn({ err: error, cloudKey }, 'aborted upload left its bytes to the orphan sweep')
  }
}
