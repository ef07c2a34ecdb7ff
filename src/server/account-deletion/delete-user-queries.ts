import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { deletionReceipts, files, links, removals, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { purgeDueAt } from '../files/purge-queries.ts'
import { recountLinks } from '../links/queries.ts'
import type { UserRow } from '../tiers/queries.ts'

/**
 * Locks a user's row until the transaction ends. Concurrent inserts for this user, such as an
 * upload, a file or a session, wait for the lock and fail once the user is deleted.
 */
export async function lockForDeletion(tx: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  // Whoever changes an owner's files locks their links first.
  await tx
    .select({ id: links.id })
    .from(links)
    .where(eq(links.ownerId, userId))
    .orderBy(links.id)
    .for('update')
  return user
}

/**
 * Removes up to `limit` rows of a user's files. A file with bytes gets a row in `removals`; a job
 * then removes the bytes and writes the receipt. A file without bytes gets its receipt immediately.
 * @returns how many rows were removed, and how many of those files the user could still see.
 */
export async function releaseFiles(
  tx: Db,
  { ownerId, limit, now }: { ownerId: string; limit: number; now: Date },
): Promise<{ count: number; visibleCount: number }> {
  const { id, linkId, storage, storageKey, purgedAt, deletedAt } = files
  const rows = await tx
    .select({ id, linkId, storage, storageKey, purgedAt, deletedAt, dueAt: purgeDueAt(now) })
    .from(files)
    .where(eq(files.ownerId, ownerId))
    // A consistent lock order prevents deadlocks.
    .orderBy(id)
    .limit(limit)
    .for('update')
  if (rows.length === 0) return { count: 0, visibleCount: 0 }
  const receipts = []
  const removalRows = []
  for (const file of rows) {
    const columns = { fileId: file.id, ownerId, storage: file.storage, storageKey: file.storageKey }
    const { dueAt, purgedAt } = file
    // The receipt omits the file name, because the only user who could read it is deleted.
    if (purgedAt === null) removalRows.push({ ...columns, dueAt, tries: 0, tryAt: now })
    else receipts.push({ ...columns, dueAt, purgedAt })
  }
  if (receipts.length > 0) await tx.insert(deletionReceipts).values(receipts)
  if (removalRows.length > 0) await tx.insert(removals).values(removalRows)
  await tx.delete(files).where(
    inArray(
      id,
      rows.map((file) => file.id),
    ),
  )
  await recountLinks(tx, [...new Set(rows.map((file) => file.linkId))])
  return {
    count: rows.length,
    visibleCount: rows.filter((file) => file.deletedAt === null).length,
  }
}

/** Clears the file names in the receipts for files that this user deleted earlier. */
export async function clearReceiptNames(tx: Db, ownerId: string): Promise<void> {
  await tx
    .update(deletionReceipts)
    .set({ originalName: null })
    .where(and(eq(deletionReceipts.ownerId, ownerId), isNotNull(deletionReceipts.originalName)))
}

/**
 * Deletes a user's row. Foreign keys cascade to sessions, credentials, tokens, settings, the brand
 * and download counts, none of which have bytes in storage.
 */
export async function removeUser(tx: Db, userId: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, userId))
}
