import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { markAllExpiredDeleted, nextFilePage } from '../files/queries.ts'
import { actionEntry } from './action-entry.ts'
import type { Actor } from './actor.ts'

/**
 * Deletes every user's files whose links have ended and cannot be renewed (spec §2: clean up expired
 * files). For one user, clearing the expired history does the same. The lines leave the lists, and
 * the next purge removes the bytes that are left. The figures stand in the audit log: one line for
 * each page on which files were deleted, in the page's own transaction. So what was deleted and what
 * the log tells agree even after an interruption.
 * @param pageSize one statement looks at this many files. It stays far below the time it may take.
 * @returns how many files were deleted.
 */
export async function cleanUpExpired(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  actor: Actor,
  pageSize = 5000,
): Promise<number> {
  const told = (deletedCount: number, at: Date) =>
    actionEntry('clean-up-expired', actor, { deletedCount }, at)
  let total = 0
  let after: string | null = null
  for (;;) {
    const page = await nextFilePage(db, after, pageSize)
    total += await db.transaction(async (tx) => {
      const now = clock()
      const deleted = await markAllExpiredDeleted(tx, page, now)
      if (deleted > 0) await writeAudit(tx, [told(deleted, now)])
      return deleted
    })
    if (page.end === null) break
    after = page.end
  }
  if (total === 0) await writeAudit(db, [told(0, clock())])
  return total
}
