import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { StoredPart } from '../storage/storage.ts'
import { touchOwnUpload } from './queries.ts'

/**
 * The parts of an open upload that its store holds whole, by number; sizes in bytes. What a client
 * goes on from after whatever happened to it, to the line or to the server. Asking shows that the
 * upload is alive, as sending does.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key.
 */
export const listParts = async (
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  cloudKey: string,
): Promise<{ parts: StoredPart[] }> => {
  const upload = await touchOwnUpload(db, ownerId, cloudKey, clock())
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  return { parts: await stores.of(upload.storage).listParts(cloudKey) }
}
