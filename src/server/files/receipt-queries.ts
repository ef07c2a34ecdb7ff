import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm'
import { receiptsShownSince } from '../../shared/rules/links/receipt.ts'
import { deletionReceipts } from '../db/schema.ts'
import { removeInBatches } from '../db/sql.ts'
import type { Db } from '../deps.ts'

/** The last receipt on a page. The next page begins after it. */
export interface ReceiptPlace {
  purgedAt: Date
  fileId: string
}

/**
 * Lists at most `limit` receipts of a user's deleted files, newest first. Receipts that are no
 * longer shown at `now` are left out. With `after`, the list begins after the receipt at that
 * place.
 */
export function listReceipts(
  db: Db,
  ownerId: string,
  { now, limit, after }: { now: Date; limit: number; after?: ReceiptPlace | undefined },
) {
  const { fileId, originalName, dueAt, purgedAt } = deletionReceipts
  return db
    .select({ fileId, originalName: sql<string>`${originalName}`, dueAt, purgedAt })
    .from(deletionReceipts)
    .where(
      and(
        eq(deletionReceipts.ownerId, ownerId),
        isNotNull(originalName),
        sql`${purgedAt} >= ${receiptsShownSince(now)}`,
        after && sql`(${purgedAt}, ${fileId}) < (${after.purgedAt}, ${after.fileId})`,
      ),
    )
    .orderBy(desc(purgedAt), desc(fileId))
    .limit(limit)
}

/**
 * Removes the file names from all receipts that are no longer shown at `now`. It works in batches.
 * Returns how many names it removed.
 */
export function forgetReceiptNames(db: Db, now: Date): Promise<number> {
  const { fileId, originalName, purgedAt } = deletionReceipts
  return removeInBatches(async (limit) => {
    const due = db
      .select({ fileId })
      .from(deletionReceipts)
      .where(and(isNotNull(originalName), lt(purgedAt, receiptsShownSince(now))))
      // In this order the index has the old names first, and Postgres stops at the first newer one.
      // Without it, Postgres would read all receipts, because it expects old names among them.
      .orderBy(purgedAt)
      .limit(limit)
      .for('update', { skipLocked: true })
    const { rowCount } = await db
      .update(deletionReceipts)
      .set({ originalName: null })
      // An array makes Postgres look up each id in the index. It expects more old names than there
      // are, and would otherwise join all receipts.
      .where(sql`${fileId} = any(array(${due.getSQL()}))`)
    return rowCount ?? 0
  })
}
