import type { Logger } from 'pino'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { endUploadsById } from '../uploads/removal-queries.ts'
import { type DeletedFile, markDeleted, markExpiredDeleted, markPurged } from './queries.ts'

/**
 * The maximum number of files whose bytes are removed before the response is sent. Removing more
 * would take too long on slow storage.
 */
export const maxRemovalsPerCall = 1000

const fileId = z.uuid()

type DeleteDeps = Pick<Deps, 'clock' | 'db' | 'stores'> & { log: Pick<Logger, 'warn'> }

/**
 * Deletes a user's files by id. Their bytes are removed (see `removeDeletedBytes`), and links
 * without other files end at once. A file that is still being uploaded has its upload's id, so its
 * upload ends, and a job removes the bytes.
 * @returns the number of deleted files, and the ids of files that are unknown, already deleted or
 * another user's.
 */
export async function deleteFiles(
  deps: DeleteDeps,
  ownerId: string,
  ids: readonly string[],
): Promise<{ deletedCount: number; notFound: string[] }> {
  const uniqueIds = [...new Set(ids)]
  const valid = uniqueIds.filter((id) => fileId.safeParse(id).success)
  // Before the files, because a parallel confirm may turn an upload into a file.
  const endedIds = await endUploadsById(deps.db, ownerId, valid, deps.clock())
  const deletedFiles = await markDeleted(deps.db, ownerId, valid, deps.clock())
  await removeDeletedBytes(deps, deletedFiles)
  const deletedIds = new Set([...endedIds, ...deletedFiles.map(({ id }) => id)])
  return {
    deletedCount: deletedIds.size,
    notFound: uniqueIds.filter((id) => !deletedIds.has(id.toLowerCase())),
  }
}

/**
 * Deletes a user's history (spec §2: clear expired history). A premium user's private files stay,
 * because they can be renewed.
 * @returns the number of deleted files.
 */
export async function deleteExpiredFiles(deps: DeleteDeps, owner: Owner): Promise<number> {
  const deletedFiles = await markExpiredDeleted(deps.db, owner, deps.clock())
  await removeDeletedBytes(deps, deletedFiles)
  return deletedFiles.length
}

/**
 * Removes the bytes of the first `maxRemovals` deleted files. The next purge removes the rest,
 * including failed removals and taken-down files, whose SHA-256 may still have to be computed.
 * Never rejects.
 * @returns the number of attempted removals.
 */
export async function removeDeletedBytes(
  { clock, db, log, stores }: DeleteDeps,
  deletedFiles: readonly DeletedFile[],
  maxRemovals = maxRemovalsPerCall,
): Promise<number> {
  const storedFiles = deletedFiles.filter(
    ({ purgedAt, takenDownAt }) => purgedAt === null && takenDownAt === null,
  )
  const filesToRemove = storedFiles.slice(0, maxRemovals)
  await removeStored({ log, stores }, filesToRemove, (ids) => markPurged(db, ids, clock()))
  return filesToRemove.length
}
