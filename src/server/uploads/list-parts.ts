import { partRange, planParts } from '../../shared/rules/files/part-plan.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { StoredPart } from '../storage/storage.ts'
import { touchOwnUpload, type Upload } from './queries.ts'

/**
 * Lists the parts of an open upload that its store holds completely, in the order of their numbers,
 * with sizes in bytes. A client resumes from this list after any failure. Where the whole file is
 * stored, the list holds all its parts, and the client only has to confirm. The parts of a file
 * that was sealed or sent in one piece have no checksum. The call counts as activity of the upload.
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
  // The size is read after the parts. So an upload that is sealed between both calls is found
  // whole.
  const isWhole = parts.length === 0 && (await storage.storedSize(storageKey)) === upload.size
  return { parts: isWhole ? allParts(upload) : parts }
}

function allParts({ size, partSize }: Upload): StoredPart[] {
  return Array.from({ length: planParts(size, partSize).count }, (_, at) => {
    const { partNumber, size: bytes } = partRange(size, partSize, at + 1)
    return { partNumber, size: bytes }
  })
}
