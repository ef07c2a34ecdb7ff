import { and, count, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm'
import { deletionReceipts, files, pendingSignups, removals, users } from '../db/schema.ts'
import { rowValues } from '../db/sql.ts'
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

/** Returns the ids of the pending signups for this address, which is in lower case. */
export async function findSignupIds(tx: Db, email: string): Promise<string[]> {
  const waiting = await tx
    .select({ id: pendingSignups.id })
    .from(pendingSignups)
    .where(eq(pendingSignups.email, email))
  return waiting.map(({ id }) => id)
}

/** What `releaseFiles` did to one batch of files. */
interface Released {
  /** How many files were in the batch. */
  count: number
  /**
   * How many files of the batch the user still saw in a list. Files that the user had deleted do
   * not count.
   */
  listed: number
  /** The highest id in the batch; null if it was empty. */
  last: string | null
}

/**
 * Removes the rows of up to `limit` files of a user, in the order of their ids, beginning after the
 * id `after`. If a file still has bytes, the same statement adds a row to `removals`. The job that
 * removes the bytes then writes the receipt. If a file's bytes are already gone, the statement
 * writes the receipt itself.
 */
export async function releaseFiles(
  tx: Db,
  {
    ownerId,
    after,
    limit,
    now,
  }: { ownerId: string; after: string | null; limit: number; now: Date },
): Promise<Released> {
  const due = tx.$with('due').as(
    tx
      .select({
        id: files.id,
        ownerId: files.ownerId,
        storage: files.storage,
        storageKey: files.storageKey,
        deletedAt: files.deletedAt,
        purgedAt: files.purgedAt,
        purgeDueAt: files.purgeDueAt,
        dueAt: purgeDueAt(now).as('due_at'),
      })
      .from(files)
      .where(and(eq(files.ownerId, ownerId), after === null ? undefined : gt(files.id, after)))
      // Every statement that waits for locks on several files takes them in the order of their ids.
      // So no two statements wait for each other.
      .orderBy(files.id)
      .limit(limit)
      .for('update', { of: files }),
  )
  const removed = tx.$with('removed').as(
    tx
      .delete(files)
      .where(inArray(files.id, tx.select({ id: due.id }).from(due)))
      .returning({ id: files.id }),
  )
  // The receipt has no file name, because the only person who may read the name is deleted.
  const receipt = rowValues(deletionReceipts, {
    fileId: due.id,
    ownerId: due.ownerId,
    storage: due.storage,
    storageKey: due.storageKey,
    dueAt: due.purgeDueAt,
    purgedAt: due.purgedAt,
  })
  const receipts = tx
    .$with('receipts')
    .as(
      tx
        .insert(deletionReceipts)
        .select(sql`select ${receipt} from ${due} where purged_at is not null`)
        .returning({ fileId: deletionReceipts.fileId }),
    )
  const row = rowValues(removals, {
    storageKey: due.storageKey,
    storage: due.storage,
    dueAt: sql`${due.dueAt}`,
    tries: sql`0`,
    tryAt: sql`${now}::timestamptz`,
    fileId: due.id,
    ownerId: due.ownerId,
  })
  const bytes = tx
    .$with('bytes')
    .as(
      tx
        .insert(removals)
        .select(sql`select ${row} from ${due} where purged_at is null`)
        .returning({ storageKey: removals.storageKey }),
    )
  const [released] = await tx
    .with(due, removed, receipts, bytes)
    .select({
      count: count(),
      listed: sql`count(*) filter (where ${due.deletedAt} is null)`.mapWith(Number),
      last: sql<string | null>`max(${due.id}::text collate "C")`,
    })
    .from(due)
  return released ?? { count: 0, listed: 0, last: null }
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
