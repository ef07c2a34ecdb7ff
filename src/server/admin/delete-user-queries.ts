import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { deletionReceipts, files, removals, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { purgeDueAt } from '../files/purge-queries.ts'
import type { UserRow } from '../tiers/queries.ts'

/**
 * Locks the row of a user until the transaction ends. Requests that write rows for this user, such
 * as an upload, a file or a session, wait for the lock. After the deletion, the database refuses
 * their rows.
 */
export async function lockForDeletion(tx: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  return user
}

/**
 * Removes the rows of up to `limit` files of a user. Files with bytes get a row in `removals`, so
 * that a job removes the bytes and writes the receipt; the others get their receipt.
 * @returns how many rows were removed, and how many of them the user still saw in a list.
 */
export async function releaseFiles(
  tx: Db,
  { ownerId, limit, now }: { ownerId: string; limit: number; now: Date },
): Promise<{ count: number; listed: number }> {
  const { id, storage, storageKey, purgedAt, deletedAt } = files
  const found = await tx
    .select({ id, storage, storageKey, purgedAt, deletedAt, dueAt: purgeDueAt(now) })
    .from(files)
    .where(eq(files.ownerId, ownerId))
    // The same order everywhere, so that statements cannot deadlock.
    .orderBy(id)
    .limit(limit)
    .for('update')
  if (found.length === 0) return { count: 0, listed: 0 }
  const receipts = []
  const withBytes = []
  for (const file of found) {
    const facts = { fileId: file.id, ownerId, storage: file.storage, storageKey: file.storageKey }
    const { dueAt, purgedAt } = file
    // A receipt has no file name, because the only person who could read it is deleted.
    if (purgedAt === null) withBytes.push({ ...facts, dueAt, tries: 0, tryAt: now })
    else receipts.push({ ...facts, dueAt, purgedAt })
  }
  if (receipts.length > 0) await tx.insert(deletionReceipts).values(receipts)
  if (withBytes.length > 0) await tx.insert(removals).values(withBytes)
  await tx.delete(files).where(
    inArray(
      id,
      found.map((file) => file.id),
    ),
  )
  return { count: found.length, listed: found.filter((file) => file.deletedAt === null).length }
}

/** Removes the file names from the receipts of files that this user deleted earlier. */
export async function forgetNames(tx: Db, ownerId: string): Promise<void> {
  await tx
    .update(deletionReceipts)
    .set({ originalName: null })
    .where(and(eq(deletionReceipts.ownerId, ownerId), isNotNull(deletionReceipts.originalName)))
}

/**
 * Removes the row of a user. The database then also removes the user's sessions, ways to sign in,
 * tokens, settings, brand and download counts. They have no bytes in storage.
 */
export async function removeUser(tx: Db, userId: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, userId))
}
