import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { maxRemovalsPerCall, removeDeletedBytes } from '../files/delete-files.ts'
import { markAllExpiredDeleted, nextFilePage } from '../files/queries.ts'

/**
 * Deletes all users' files whose links have ended and can't be renewed (spec §7), just as users can
 * do by clearing their own history. The files disappear from lists immediately. The bytes of the
 * first thousand files are removed before this function returns, the rest by the next purge.
 *
 * Works in pages. Each page is one transaction that also writes an audit log entry, so the audit
 * log is correct even after an interruption. Every entry but the first includes the running total.
 * @param pageSize files per statement. The default keeps each statement far below its time limit.
 * @returns the number of deleted files.
 */
export async function cleanUpExpired(
  deps: Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>,
  actor: Actor,
  pageSize = 5000,
): Promise<number> {
  const { clock, db } = deps
  let total = 0
  const createAuditEntry = (deletedCount: number, at: Date) => {
    const runningTotal = total > 0 && { totalDeleted: total + deletedCount }
    return adminEntry(actor, at, {
      action: 'clean-up-expired',
      details: { deletedCount, ...runningTotal },
    })
  }
  let remainingRemovalCount = maxRemovalsPerCall
  let lastFileId: string | null = null
  for (;;) {
    const page = await nextFilePage(db, lastFileId, pageSize)
    const deletedFiles = await db.transaction(async (tx) => {
      const now = clock()
      const markedFiles = await markAllExpiredDeleted(tx, page, now)
      if (markedFiles.length > 0) await writeAudit(tx, [createAuditEntry(markedFiles.length, now)])
      return markedFiles
    })
    total += deletedFiles.length
    remainingRemovalCount -= await removeDeletedBytes(deps, deletedFiles, remainingRemovalCount)
    if (page.end === null) break
    lastFileId = page.end
  }
  if (total === 0) await writeAudit(db, [createAuditEntry(0, clock())])
  return total
}
