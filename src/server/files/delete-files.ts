import type { Logger } from 'pino'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import { markDeleted, markExpiredDeleted } from './queries.ts'
import { removeDeleted } from './remove-deleted.ts'

const fileId = z.uuid()

/**
 * Deletes a user's files that have these ids, all in one statement. When this resolves, their links
 * have ended, and usually their bytes are removed too (see `removeDeleted`).
 * @returns how many were deleted, and which ids are unknown, already deleted, or belong to
 * other users.
 */
export async function deleteFiles(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
  ownerId: string,
  ids: readonly string[],
  log: Logger,
): Promise<{ deletedCount: number; notFound: string[] }> {
  const wanted = [...new Set(ids)]
  const known = wanted.filter((id) => fileId.safeParse(id).success)
  const deleted = await markDeleted(deps.db, ownerId, known, deps.clock())
  await removeDeleted({ ...deps, log }, deleted)
  const found = new Set(deleted.map(({ id }) => id))
  return {
    deletedCount: found.size,
    notFound: wanted.filter((id) => !found.has(id.toLowerCase())),
  }
}

/**
 * Deletes a user's files whose links have ended and cannot be renewed (spec §2: clear expired
 * history). A premium user's private files stay, because they can still be renewed. Before this
 * resolves, it tries to remove the bytes of the first thousand of these files (see
 * `removeDeleted`).
 * @returns how many were deleted.
 */
export async function deleteExpiredFiles(
  deps: Pick<Deps, 'clock' | 'db' | 'stores'>,
  owner: Owner,
  log: Logger,
): Promise<number> {
  const deleted = await markExpiredDeleted(deps.db, owner, deps.clock())
  await removeDeleted({ ...deps, log }, deleted)
  return deleted.length
}
