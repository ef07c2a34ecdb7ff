import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import { partRange, planParts } from '../../shared/rules/files/part-plan.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { StoredPart } from '../storage/storage.ts'
import { touchOwnUpload } from './queries.ts'
import { rangesOf, signPartUrls } from './start-upload.ts'

/**
 * Lists the stored parts of an open upload, so that a client can resume, and marks the upload as
 * active. If the whole file is stored, lists all its parts, without checksums.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key.
 */
export async function listParts(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  storageKey: string,
): Promise<{ parts: StoredPart[] }> {
  const upload = await touchOwnUpload(db, ownerId, storageKey, clock())
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  const storage = stores.get(upload.storage)
  const parts = await storage.listParts(storageKey)
  if (parts.length > 0) return { parts }
  // Check this after reading the parts, so that an upload being sealed in parallel counts as
  // complete.
  const isComplete = (await storage.storedSize(storageKey)) === upload.size
  const { count } = planParts(upload.size, upload.partSize)
  return {
    parts: isComplete
      ? rangesOf(upload, count).map(({ partNumber, size }) => ({ partNumber, size }))
      : [],
  }
}

/**
 * Returns presigned URLs for parts of an open upload, keyed by part number, and marks the upload as
 * active.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key; PART_NOT_FOUND for a number
 * beyond the last part; UNAVAILABLE if the upload's store can't be reached.
 */
export async function signParts(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  { cloudKey, partNumbers }: z.output<typeof uploads.signParts.body>,
): Promise<{ urls: Record<string, string> }> {
  const now = clock()
  const upload = await touchOwnUpload(db, ownerId, cloudKey, now)
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  const { size, partSize } = upload
  const { count } = planParts(size, partSize)
  const unknownNumber = partNumbers.find((partNumber) => partNumber > count)
  if (unknownNumber !== undefined) {
    const message = `partNumbers: The file has ${count} parts, and none with the number ${unknownNumber}.`
    throw new AppError('PART_NOT_FOUND', { message })
  }
  const ranges = [...new Set(partNumbers)].map((number) => partRange(size, partSize, number))
  return { urls: await signPartUrls(stores, upload, ranges, now) }
}
