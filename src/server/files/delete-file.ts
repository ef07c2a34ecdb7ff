import type { Logger } from 'pino'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { markPurged } from './purge-queries.ts'
import { markDeleted } from './queries.ts'

const fileId = z.uuid()

/**
 * Deletes a file. When this resolves, its link has ended, and usually its bytes are removed too. If
 * their removal fails, the purge job tries it again.
 * @throws {AppError} FILE_NOT_FOUND when the caller has no such file.
 */
export async function deleteFile(
  { clock, db, stores }: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  id: string,
  log: Logger,
): Promise<void> {
  const known = fileId.safeParse(id).success ? [id] : []
  const [file] = await markDeleted(db, ownerId, known, clock())
  if (!file) throw new AppError('FILE_NOT_FOUND')
  // For a file that was taken down, the server may still need the bytes to compute their SHA-256.
  // So the purge removes them later.
  if (file.purgedAt !== null || file.takenDownAt !== null) return
  await removeStored({ log, stores }, [file], (ids) => markPurged(db, ids, clock()))
}
