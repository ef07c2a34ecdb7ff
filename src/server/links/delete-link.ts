import { eq } from 'drizzle-orm'
import { files, uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { type DeletedFile, markDeletedWhere } from '../files/queries.ts'
import { type EndedUpload, endUploadsWhere } from '../uploads/removal-queries.ts'
import { hasCode, lockLink } from './queries.ts'

/**
 * Deletes an owner's link with its files, and ends its uploads. The caller removes the bytes.
 * Returns undefined if there is no such link.
 */
export function deleteLink(
  db: Db,
  ownerId: string,
  shortCode: string,
  now: Date,
): Promise<{ files: DeletedFile[]; uploads: EndedUpload[] } | undefined> {
  return db.transaction(async (tx) => {
    const link = await lockLink(tx, ownerId, hasCode(shortCode))
    if (!link) return undefined
    const endedUploads = await endUploadsWhere(tx, eq(uploads.linkId, link.id), now)
    const deletedFiles = await markDeletedWhere(tx, eq(files.linkId, link.id), now)
    return { files: deletedFiles, uploads: endedUploads }
  })
}
