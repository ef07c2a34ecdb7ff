import {
  and,
  count,
  eq,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { type StorageName, storageNames } from '../../shared/rules/files/storage-name.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { deletionReceipts, files, links, users } from '../db/schema.ts'
import { inBatches, rowValues } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import { maxDelayMs, nextAttemptAt, overdueMs } from '../storage/remove-stored.ts'
import { tierAt } from '../tiers/queries.ts'

const tiersWithoutRenewal = tiers.filter((tier) => !tierTraits[tier].renewal)

/**
 * SQL for when an owner can no longer renew: `-infinity` in a tier without renewal, the end of a
 * running trial, or `infinity`. The query must include the owner's row in `users`, locked against
 * changes.
 */
export function renewalEndsAt(now: Date | SQLWrapper): SQL {
  return sql`case
    when ${inArray(tierAt(now), tiersWithoutRenewal)} then '-infinity'
    when ${users.premiumTrialEndsAt} > ${now} then ${users.premiumTrialEndsAt}
    else 'infinity' end::timestamptz`
}

/** SQL for when to purge a link's files: once it has ended and can no longer be renewed. */
export function purgeAtOf(
  link: { expiresAt: SQLWrapper; maxLifetimeAt: SQLWrapper },
  renewalEnd: SQLWrapper,
): SQL {
  return sql`least(${link.maxLifetimeAt}, greatest(${link.expiresAt}, ${renewalEnd}))`
}

/**
 * Updates `purge_at` for those of an owner's stored files that match the condition. Call it in the
 * transaction that changes the tier or a link's dates. The owner must be locked, because the tier
 * decides when files are purged.
 */
export async function updatePurgeTimes(
  tx: Db,
  ownerId: string,
  now: Date,
  condition?: SQL,
): Promise<void> {
  const renewalEnd = sql`(select ${renewalEndsAt(now)} from ${users} where ${eq(users.id, ownerId)})`
  const purgeAt = purgeAtOf(links, sql`greatest(${renewalEnd}, ${now})`)
  await inBatches(async (limit) => {
    const staleFiles = tx.$with('stale_files').as(
      tx
        .select({ id: files.id, newPurgeAt: purgeAt.as('new_purge_at') })
        .from(files)
        .innerJoin(links, eq(links.id, files.linkId))
        .where(
          and(
            eq(files.ownerId, ownerId),
            isNull(files.purgingAt),
            isNull(files.purgedAt),
            sql`${files.purgeAt} <> ${purgeAt}`,
            condition,
          ),
        )
        // A consistent order prevents deadlocks.
        .orderBy(files.id)
        .limit(limit)
        .for('update', { of: files }),
    )
    const { rowCount } = await tx
      .with(staleFiles)
      .update(files)
      .set({ purgeAt: sql`${staleFiles.newPurgeAt}` })
      .from(staleFiles)
      .where(eq(files.id, staleFiles.id))
    return rowCount ?? 0
  })
}

/** SQL: true if a file's link has ended by `now` and can't be renewed. */
export function isPurgeDue(now: Date): SQL {
  return sql`(${files.purgingAt} is not null or ${files.purgeAt} <= ${now})`
}

/** SQL for when the purge of a file deleted at `now` is due: `now` or earlier. */
export function purgeDueAt(now: Date): SQL<Date> {
  return sql`coalesce(${files.purgeDueAt}, least(${files.purgeAt}, ${now}))`.mapWith(
    files.purgeDueAt,
  )
}

/** A due file claimed by this run. No other server removes its bytes in the meantime. */
export type ClaimedFile = Pick<typeof files.$inferSelect, 'id' | 'storageKey'>

/**
 * Claims up to `limit` due files, longest overdue first, and schedules their next attempt. Skips
 * locked files, and taken-down files whose SHA-256 must still be computed.
 */
export async function claimDueFiles(
  db: Db,
  { storage, now, limit }: { storage: StorageName; now: Date; limit: number },
): Promise<ClaimedFile[]> {
  const dueFiles = db.$with('due').as(
    db
      .select({ id: files.id })
      .from(files)
      .where(
        and(
          isNull(files.purgedAt),
          eq(files.storage, storage),
          lte(files.purgeAt, now),
          or(isNull(files.takenDownAt), files.isContentProved),
        ),
      )
      .orderBy(files.purgeAt)
      .limit(limit)
      .for('update', { skipLocked: true }),
  )
  return db
    .with(dueFiles)
    .update(files)
    .set({
      purgingAt: sql`coalesce(${files.purgingAt}, ${now})`,
      purgeDueAt: sql`coalesce(${files.purgeDueAt}, ${files.purgeAt})`,
      purgeTries: sql`${files.purgeTries} + 1`,
      purgeAt: nextAttemptAt(files.purgeTries, now),
    })
    .from(dueFiles)
    .where(eq(files.id, dueFiles.id))
    .returning({ id: files.id, storageKey: files.storageKey })
}

/** The columns needed for a receipt, from a removed row of `files`. */
export const receiptColumns = {
  id: files.id,
  ownerId: files.ownerId,
  storage: files.storage,
  storageKey: files.storageKey,
  originalName: files.originalName,
  purgeDueAt: files.purgeDueAt,
}

/** Builds a CTE that inserts a receipt for each row in the CTE `removed`. */
export function insertReceipts(db: Db, purgedAt: SQL) {
  const receipt = rowValues(deletionReceipts, {
    fileId: sql`id`,
    ownerId: sql`owner_id`,
    storage: sql`storage`,
    storageKey: sql`storage_key`,
    originalName: sql`original_name`,
    dueAt: sql`purge_due_at`,
    purgedAt,
  })
  return db
    .$with('receipts')
    .as(
      db
        .insert(deletionReceipts)
        .select(sql`select ${receipt} from removed`)
        .returning({ fileId: deletionReceipts.fileId }),
    )
}

/**
 * Records that the bytes of these files are gone. Replaces the rows of deleted files with receipts.
 * @returns the number of files that this call recorded, excluding those recorded by a parallel
 * call.
 */
export async function markPurged(db: Db, ids: string[], now: Date): Promise<number> {
  if (ids.length === 0) return 0
  const purgedFiles = db.$with('purged_files').as(
    db
      .select({ id: files.id, deletedAt: files.deletedAt })
      .from(files)
      .where(and(inArray(files.id, ids), isNull(files.purgedAt)))
      .orderBy(files.id)
      .for('update'),
  )
  const idsOf = (rows: SQL) => db.select({ id: purgedFiles.id }).from(purgedFiles).where(rows)
  const removed = db.$with('removed').as(
    db
      .delete(files)
      .where(inArray(files.id, idsOf(isNotNull(purgedFiles.deletedAt))))
      .returning(receiptColumns),
  )
  const markedFiles = db.$with('marked_files').as(
    db
      .update(files)
      .set({ purgedAt: now })
      .where(inArray(files.id, idsOf(isNull(purgedFiles.deletedAt))))
      .returning({ id: files.id }),
  )
  const receipts = insertReceipts(db, sql`${now}::timestamptz`)
  const [row] = await db
    .with(purgedFiles, removed, receipts, markedFiles)
    .select({ count: count() })
    .from(purgedFiles)
  return row?.count ?? 0
}

/** Counts files whose purge is at least 15 minutes overdue. `since` is the oldest due time. */
export async function countOverdue(
  db: Db,
  now: Date,
): Promise<{ count: number; since: Date | null }> {
  const dueAt = sql`coalesce(${files.purgeDueAt}, ${files.purgeAt})`
  const [row] = await db
    .select({ count: count(), since: sql`min(${dueAt})`.mapWith(files.purgeDueAt) })
    .from(files)
    .where(
      and(
        isNull(files.purgedAt),
        // These conditions let Postgres use the index, which starts with the store. A due file's
        // `purge_at` is at most `maxDelayMs` in the future.
        inArray(files.storage, storageNames),
        lte(files.purgeAt, new Date(now.getTime() + maxDelayMs)),
        lte(dueAt, new Date(now.getTime() - overdueMs)),
      ),
    )
  return row ?? { count: 0, since: null }
}
