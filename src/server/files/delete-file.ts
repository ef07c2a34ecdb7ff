import type { Logger } from 'pino'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markDeleted } from './queries.ts'
import { removeDeleted } from './remove-deleted.ts'

const fileId = z.uuid()

/**
 * Deletes a file. When this resolves, its link has ended, and usually its bytes are removed too. If
 * their removal fails, the purge job tries it again.
 * @throws {AppError} FILE_NOT_FOUND when the caller has no such file.
 */
export async function deleteFile(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  id: string,
  log: Logger,
): Promise<void> {
  const known = fileId.safeParse(id).success ? [id] : []
  const [file] = await markDeleted(deps.db, ownerId, known, deps.clock())
  if (!file) throw new AppError('FILE_NOT_FOUND')
  await removeDeleted({ ...deps, log }, [file])
}
