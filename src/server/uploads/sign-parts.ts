import type { z } from 'zod'
import type { uploads } from '../../shared/contract/uploads.ts'
import { type PartRange, partRange, planParts } from '../../shared/rules/files/part-plan.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { signPartUrls } from './part-urls.ts'
import { touchOwnUpload, type Upload } from './queries.ts'

/**
 * Signs a URL for each of these parts of an open upload, by part number. Each URL is valid for one
 * hour and for exactly that part's bytes (design §5, upload protocol). The call counts as activity,
 * so from now on the upload counts against the owner's limit of files. Only the confirmation checks
 * that limit.
 * @throws {AppError} UPLOAD_NOT_FOUND, also for another user's key; PART_NOT_FOUND for a number
 * beyond the last part; UNAVAILABLE when the upload's store cannot be reached.
 */
export async function signParts(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  { cloudKey: storageKey, partNumbers }: z.output<typeof uploads.signParts.body>,
): Promise<{ urls: Record<string, string> }> {
  const now = clock()
  const upload = await touchOwnUpload(db, ownerId, storageKey, now)
  if (!upload) throw new AppError('UPLOAD_NOT_FOUND')
  const parts = [...new Set(partNumbers)].map((partNumber) => findPart(upload, partNumber))
  return { urls: await signPartUrls(stores, upload, parts, now) }
}

function findPart({ size, partSize }: Upload, partNumber: number): PartRange {
  const { count } = planParts(size, partSize)
  if (partNumber > count) {
    throw new AppError('PART_NOT_FOUND', {
      message: `partNumbers: The file has ${count} parts, and none with the number ${partNumber}.`,
    })
  }
  return partRange(size, partSize, partNumber)
}
