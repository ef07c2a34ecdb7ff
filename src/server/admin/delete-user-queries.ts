import { and, count, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm'
import { rowValues } from '../db/row-values.ts'
import { deletionReceipts, files, pendingSignups, removals, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { purgeDueAt } from '../files/purge-queries.ts'
import type { UserRow } from '../tiers/queries.ts'

/**
 * Locks a user against every use until the transaction ends. Whoever writes a row that belongs to
 * the user waits: an upload, a file, a session. After the deletion, such a row is refused.
 */
export async function lockForDeletion(tx: Db, userId: string): Promise<UserRow | undefined> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for('update')
  return user
}

/** Returns the ids of the signups that wait for this address (in lower case). */
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
  /** How many of them the user saw in the list: all that the user had not deleted before. */
  listed: number
  /** The highest id in the batch; null if it was empty. */
  last: string | null
}

/**
 * Removes the rows of up to `limit` files of a user, in the order of their ids from after `after`
 * on. The same statement records that their bytes are to be removed, and that a receipt is to be
 * written then. Files whose bytes are gone leave their receipts now.
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
      .innerJoin(users, eq(users.id, files.ownerId))
      .where(and(eq(files.ownerId, ownerId), after === null ? undefined : gt(files.id, after)))
      // Every statement that locks several files locks them in this order, so that no two wait for
      // each other.
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
  // A receipt without a name: nobody is left who would read the name.
  const receipt = rowValues(deletionReceipts, {
    fileId: due.id,
    ownerId: due.ownerId,
    storage: due.storage,
    storageKey: due.storageKey,
    dueAt: due.purgeDueAt,
    purgedAt: due.purgedAt,
  })
  const receipts = tx.$with('receipts').as(
    tx
      .insert(deletionReceipts)
      .select(
        sql`select ${receipt} from ${due}
          where purged_at is not null and purge_due_at is not null`,
      )
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

/** Removes the names of files that a user deleted earlier from their receipts. */
export async function forgetNames(tx: Db, ownerId: string): Promise<void> {
  await tx
    .update(deletionReceipts)
    .set({ originalName: null })
    .where(and(eq(deletionReceipts.ownerId, ownerId), isNotNull(deletionReceipts.originalName)))
}

/**
 * Removes the row of a user, and with it everything that belongs to the user and has no bytes in
 * storage: sessions, ways to sign in, tokens, settings, brand, counts of downloads.
 */
export async function removeUser(tx: Db, userId: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, userId))
}
