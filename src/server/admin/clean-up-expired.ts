import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { mostRemovedAtOnce, removeDeleted } from '../files/delete-files.ts'
import { markAllExpiredDeleted, nextFilePage } from '../files/queries.ts'

/**
 * Deletes the files of all users whose links have ended and cannot be renewed (spec §7). A user who
 * clears the expired history does the same for the user's own files. The files leave the lists at
 * once, and the first thousand of them lose their bytes before this function returns. The next
 * purge removes the bytes that are left. This function works page by page, each page in its own
 * transaction. The transaction also writes a line about its deleted files to the audit log. So the
 * log is right even after an interruption. From the second line on, a line also has the sum so far,
 * so that the last one tells what the whole act did.
 * @param pageSize how many files one statement looks at. With this number, the statement stays far
 * below its time limit.
 * @returns how many files were deleted.
 */
export async function cleanUpExpired(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  actor: Actor,
  pageSize = 5000,
): Promise<number> {
  const { clock, db } = deps
  let total = 0
  const told = (deletedCount: number, at: Date) => {
    const sum = total > 0 && { totalDeleted: total + deletedCount }
    return adminEntry(actor, at, { action: 'clean-up-expired', details: { deletedCount, ...sum } })
  }
  let toRemove = mostRemovedAtOnce
  let after: string | null = null
  for (;;) {
    const page = await nextFilePage(db, after, pageSize)
    const deleted = await db.transaction(async (tx) => {
      const now = clock()
      const marked = await markAllExpiredDeleted(tx, page, now)
      if (marked.length > 0) await writeAudit(tx, [told(marked.length, now)])
      return marked
    })
    total += deleted.length
    toRemove -= await removeDeleted(deps, deleted, toRemove)
    if (page.end === null) break
    after = page.end
  }
  if (total === 0) await writeAudit(db, [told(0, clock())])
  return total
}
