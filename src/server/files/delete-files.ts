import { z } from 'zod'
import type { Deps } from '../deps.ts'
import type { SessionUser } from '../http/session.ts'
import { markDeleted, markExpiredDeleted } from './queries.ts'

const fileId = z.uuid()

/**
 * Deletes a user's files that have these ids, all in one statement. When this resolves, their links
 * have ended. The next purge removes their bytes.
 * @returns how many were deleted, and which ids are unknown or belong to other users.
 */
export async function deleteFiles(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  ownerId: string,
  ids: readonly string[],
): Promise<{ deletedCount: number; notFound: string[] }> {
  const wanted = [...new Set(ids)]
  const known = wanted.filter((id) => fileId.safeParse(id).success)
  const deleted = await markDeleted(db, ownerId, known, clock())
  const found = new Set(deleted.map(({ id }) => id))
  return {
    deletedCount: found.size,
    notFound: wanted.filter((id) => !found.has(id.toLowerCase())),
  }
}

/**
 * Deletes a user's files whose links have ended and cannot be renewed (spec §2: clear expired
 * history). A premium user's private files stay, because they can still be renewed.
 * @returns how many were deleted.
 */
export async function deleteExpiredFiles(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  owner: Pick<SessionUser, 'id' | 'tier'>,
): Promise<number> {
  return (await markExpiredDeleted(db, owner, clock())).length
}
