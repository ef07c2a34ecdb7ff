import { partRange, planParts } from '../../shared/rules/part-plan.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { StoredPart } from '../storage/storage.ts'
import { touchOwnUpload, type Upload } from './queries.ts'

/**
 * The parts of an open upload that its store holds whole, by number; sizes in bytes. What a client
 * goes on from after whatever happened to it, to the line or to the server. Where the whole file is
 * stored they are all parts of its plan, be it one, and nothing is left but to confirm; those of a
 * file that was sealed already, or sent in one piece, have no checksum. Asking shows that the upload
 * is alive, as sending does.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key.
 */
export async function listParts(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  storageKey: string,
): Promise<{ parts: StoredPart[] }> {
  const upload = await touchOwnUpload(db, ownerId, storageKey, clock())
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  const storage = stores.of(upload.storage)
  const parts = await storage.listParts(storageKey)
  // In this order: what is sealed between the two is found whole.
  const isWhole = parts.length === 0 && (await storage.storedSize(storageKey)) === upload.size
  return { parts: isWhole ? allParts(upload) : parts }
}

function allParts({ size, partSize }: Upload): StoredPart[] {
  return Array.from({ length: planParts(size, partSize).count }, (_, at) => {
    const { partNumber, size: bytes } = partRange(size, partSize, at + 1)
    return { partNumber, size: bytes }
  })
}
