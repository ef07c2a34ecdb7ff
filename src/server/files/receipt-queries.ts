import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm'
import { receiptCutoff } from '../../shared/rules/links/receipt.ts'
import { deletionReceipts } from '../db/schema.ts'
import { inBatches } from '../db/sql.ts'
import type { Db } from '../deps.ts'

/** The position of the last receipt on a page. */
export interface ReceiptCursor {
  purgedAt: Date
  fileId: string
}

/** Lists up to `limit` receipts that a user can still see at `now`, newest first. */
export function listReceipts(
  db: Db,
  ownerId: string,
  { now, limit, after }: { now: Date; limit: number; after?: ReceiptCursor | undefined },
) {
  const { fileId, originalName, dueAt, purgedAt } = deletionReceipts
  return db
    .select({ fileId, originalName: sql<string>`${originalName}`, dueAt, purgedAt })
    .from(deletionReceipts)
    .where(
      and(
        eq(deletionReceipts.ownerId, ownerId),
        isNotNull(originalName),
        sql`${purgedAt} >= ${receiptCutoff(now)}`,
        after && sql`(${purgedAt}, ${fileId}) < (${after.purgedAt}, ${after.fileId})`,
      ),
    )
    .orderBy(desc(purgedAt), desc(fileId))
    .limit(limit)
}

/**
 * Removes the file names from receipts that are no longer shown. Returns the number of names
 * removed.
 */
export function forgetReceiptNames(db: Db, now: Date): Promise<number> {
  const { fileId, originalName, purgedAt } = deletionReceipts
  return inBatches(async (limit) => {
    const dueReceipts = db
      .select({ fileId })
      .from(deletionReceipts)
      .where(and(isNotNull(originalName), lt(purgedAt, receiptCutoff(now))))
      // In index order, so that Postgres stops at the first receipt that is too recent to be due.
      .orderBy(purgedAt)
      .limit(limit)
      .for('update', { skipLocked: true })
    const { rowCount } = await db
      .update(deletionReceipts)
      .set({ originalName: null })
      // An array, because with `in` Postgres would join all receipts.
      .where(sql`${fileId} = any(array(${dueReceipts.getSQL()}))`)
    return rowCount ?? 0
  })
}
