import { and, count, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { tiers } from '../../shared/rules/tier.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { rowValues } from '../db/row-values.ts'
import { deletionReceipts, files, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { nextTryAt, overdueMs } from '../storage/removal-tries.ts'
import type { StorageName } from '../storage/storage-name.ts'
import { tierAt, tierSinceAt } from '../tiers/queries.ts'

const tiersWithoutRenewal = tiers.filter((tier) => !tierTraits[tier].renewal)

/**
 * Tells, as SQL, whether the owner's tier at `now` cannot renew files. The query must join the
 * owner.
 */
function isNotKept(now: Date): SQL {
  return inArray(tierAt(now), tiersWithoutRenewal)
}

/**
 * Returns SQL for the moment when the bytes of a file should be removed: when the owner deleted the
 * file, at the end of its longest life, or when it had expired and the owner's tier could not renew
 * it. The query must join the owner.
 */
export function purgeDueAt(now: Date): SQL<Date> {
  const notKeptSince = sql`case when ${isNotKept(now)} then greatest(${files.expiresAt}, ${tierSinceAt(now)}) end`
  // `least` and `greatest` ignore null.
  const due = sql`least(${files.maxLifetimeAt}, ${files.deletedAt}, ${notKeptSince}, coalesce(${files.purgingAt}, ${now}))`
  return sql`coalesce(${files.purgeDueAt}, ${due})`.mapWith(files.purgeDueAt)
}

/**
 * Tells, as SQL, whether the bytes of an expired file must be removed. The query must join the
 * owner.
 */
function isToPurge(now: Date): SQL {
  return sql`(${files.purgingAt} is not null or ${files.maxLifetimeAt} <= ${now} or ${isNotKept(now)})`
}

/**
 * Returns SQL that tells whether the link of a file has ended and cannot be renewed. `linkStatus`
 * has the same rule. The query must join the owner.
 */
export function isOver(now: Date): SQL {
  return sql`(${files.expiresAt} <= ${now} and ${isToPurge(now)})`
}

/** A file that is reserved for this run, which removes its bytes. */
export type Claim = Pick<typeof files.$inferSelect, 'id' | 'storageKey' | 'expiresAt'>

export interface WantedClaims {
  storage: StorageName
  now: Date
  limit: number
  /** If it is given, only files that expired at this moment or later. */
  from?: Date | undefined
}

/**
 * Reserves files whose bytes should be removed, the longest expired first. These are files that
 * their owner deleted, files past their longest life, and expired files that the owner's tier at
 * `now` cannot renew. (`linkStatus` has the same rule for the browser, and a test compares the
 * two.) It skips files whose next try is later, and files that another server has reserved. It also
 * skips a file that was taken down while its SHA-256 is unknown, because the bytes are needed to
 * compute it.
 */
export async function claimFilesToPurge(
  db: Db,
  { storage, now, limit, from }: WantedClaims,
): Promise<Claim[]> {
  const due = db.$with('due').as(
    db
      .select({ id: files.id, dueAt: purgeDueAt(now).as('due_at') })
      .from(files)
      .innerJoin(users, eq(users.id, files.ownerId))
      .where(
        sql`${files.purgedAt} is null
          and ${files.storage} = ${storage}
          and ${isOver(now)}
          and ${from === undefined ? sql`true` : sql`${files.expiresAt} >= ${from}`}
          and (${files.purgeTryAt} is null or ${files.purgeTryAt} <= ${now})
          and (${files.takenDownAt} is null or ${files.isContentProved})`,
      )
      .orderBy(files.expiresAt)
      .limit(limit)
      .for('update', { of: files, skipLocked: true }),
  )
  return db
    .with(due)
    .update(files)
    .set({
      purgingAt: sql`coalesce(${files.purgingAt}, ${now})`,
      purgeDueAt: sql`${due.dueAt}`,
      purgeTries: sql`${files.purgeTries} + 1`,
      purgeTryAt: nextTryAt(files.purgeTries, now),
    })
    .from(due)
    .where(eq(files.id, due.id))
    .returning({ id: files.id, storageKey: files.storageKey, expiresAt: files.expiresAt })
}

/** The columns of a removed row that its receipt keeps. */
export const receiptFacts = {
  id: files.id,
  ownerId: files.ownerId,
  storage: files.storage,
  storageKey: files.storageKey,
  originalName: files.originalName,
  purgeDueAt: files.purgeDueAt,
}

/**
 * Returns a part of a statement. It writes the receipts of the rows that another part, `removed`,
 * removes. Files whose bytes were removed before there were receipts get none.
 */
export function keepReceipts(db: Db, purgedAt: SQL) {
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
        .select(sql`select ${receipt} from removed where purge_due_at is not null`)
        .returning({ fileId: deletionReceipts.fileId }),
    )
}

/**
 * Records that storage has confirmed that these files have no bytes left. If the owner has deleted
 * a file, its row is removed too and leaves a receipt.
 * @returns how many files this call was the first to record. So if several servers removed the same
 * bytes, only one of them counts these.
 */
export async function markPurged(db: Db, ids: string[], now: Date): Promise<number> {
  if (ids.length === 0) return 0
  const gone = db.$with('gone').as(
    db
      .select({ id: files.id, deletedAt: files.deletedAt })
      .from(files)
      .where(and(inArray(files.id, ids), isNull(files.purgedAt)))
      .orderBy(files.id)
      .for('update'),
  )
  const idsOf = (rows: SQL) => db.select({ id: gone.id }).from(gone).where(rows)
  const removed = db.$with('removed').as(
    db
      .delete(files)
      .where(inArray(files.id, idsOf(isNotNull(gone.deletedAt))))
      .returning(receiptFacts),
  )
  const marked = db.$with('marked').as(
    db
      .update(files)
      .set({ purgedAt: now })
      .where(inArray(files.id, idsOf(isNull(gone.deletedAt))))
      .returning({ id: files.id }),
  )
  const kept = keepReceipts(db, sql`${now}::timestamptz`)
  const [recorded] = await db
    .with(gone, removed, kept, marked)
    .select({ count: count() })
    .from(gone)
  return recorded?.count ?? 0
}

/** The files whose bytes are still stored 15 minutes after they should have been removed. */
export interface Overdue {
  count: number
  /**
   * The earliest moment at which the bytes of one of these files should have been removed; null if
   * there is no such file.
   */
  since: Date | null
}

/**
 * Counts the files, in all stores, whose bytes are still stored at `now` although they should have
 * been removed at least 15 minutes before. Also returns since when the oldest of them should have
 * been removed.
 */
export async function countOverdue(db: Db, now: Date): Promise<Overdue> {
  const before = new Date(now.getTime() - overdueMs)
  const [counted] = await db
    .select({
      count: sql`count(*)`.mapWith(Number),
      since: sql`min(${purgeDueAt(now)})`.mapWith(files.purgeDueAt),
    })
    .from(files)
    .innerJoin(users, eq(users.id, files.ownerId))
    .where(
      sql`${files.purgedAt} is null and ${files.expiresAt} <= ${before}
        and ${isToPurge(now)} and ${purgeDueAt(now)} <= ${before}`,
    )
  return counted ?? { count: 0, since: null }
}
