import { and, count, desc, eq, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import { type StorageName, storageNames } from '../../shared/rules/files/storage-name.ts'
import { tiers } from '../../shared/rules/tiers/tier.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { purgeLookSql } from '../db/purge-look-sql.ts'
import { rowValues } from '../db/row-values.ts'
import { deletionReceipts, files, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { nextTryAt, overdueMs } from '../storage/removal-tries.ts'
import { tierAt, tierSinceAt } from '../tiers/queries.ts'

const tiersWithoutRenewal = tiers.filter((tier) => !tierTraits[tier].renewal)
const tiersWithRenewal = tiers.filter((tier) => tierTraits[tier].renewal)

/**
 * Tells, as SQL, whether the owner's tier at `now` cannot renew files. The query must join the
 * owner's row of `users`.
 */
function cannotRenew(now: Date): SQL {
  return inArray(tierAt(now), tiersWithoutRenewal)
}

/**
 * Returns SQL for the moment when the bytes of a file had to be removed. It is the earliest of
 * these: the owner deleted the file; its longest life ended; it had expired and the owner's tier
 * could not renew it; the removal began, for example after a takedown; or `now`. A moment that the
 * row already has stays. The query must join the owner's row of `users`.
 */
export function purgeDueAt(now: Date): SQL<Date> {
  const notKeptSince = sql`case when ${cannotRenew(now)} then greatest(${files.expiresAt}, ${tierSinceAt(now)}) end`
  // `least` and `greatest` ignore null.
  const due = sql`least(${files.maxLifetimeAt}, ${files.deletedAt}, ${notKeptSince}, coalesce(${files.purgingAt}, ${now}))`
  return sql`coalesce(${files.purgeDueAt}, ${due})`.mapWith(files.purgeDueAt)
}

/**
 * Tells, as SQL, whether the bytes of an expired file must be removed. The query must join the
 * owner's row of `users`.
 */
function isToPurge(now: Date): SQL {
  return sql`(${files.purgingAt} is not null or ${files.maxLifetimeAt} <= ${now} or ${cannotRenew(now)})`
}

/**
 * Returns SQL that tells whether the link of a file has ended and cannot be renewed. `linkStatus`
 * has the same rule. The query must join the owner's row of `users`.
 */
export function isOver(now: Date): SQL {
  return sql`(${files.expiresAt} <= ${now} and ${isToPurge(now)})`
}

/**
 * This version of the server may not know the tier of an owner. The purge then looks at the owner's
 * expired files again after this time.
 */
const unknownTierMs = 60 * 60_000

/**
 * Returns, as SQL, when the purge looks again at a file that it need not purge at `now`. A file
 * that its owner can renew is looked at when the owner can no longer renew it: when the file's
 * longest life ends, or when the owner's running trial ends, whichever is earlier. null for a file
 * that was renewed: the purge then looks at it when its new link ends. The query must join the
 * owner's row of `users`.
 */
function nextLookAt(now: Date): SQL {
  const { premiumTrialEndsAt } = users
  const runningTrialEnd = sql`case when ${premiumTrialEndsAt} > ${now} then ${premiumTrialEndsAt} end`
  const soon = new Date(now.getTime() + unknownTierMs)
  // `least` ignores null.
  return sql`case
    when ${files.expiresAt} > ${now} then null
    when ${inArray(tierAt(now), tiersWithRenewal)} then least(${files.maxLifetimeAt}, ${runningTrialEnd})
    else least(${files.maxLifetimeAt}, ${soon}::timestamptz) end`
}

/**
 * A file whose bytes this run must remove. The run has reserved it, so no other server removes them
 * at the same time.
 */
export type Claim = Pick<typeof files.$inferSelect, 'id' | 'storageKey'>

/** What one look of the purge found. */
export interface Look {
  claims: Claim[]
  /** How many files it looked at. Those that it did not claim are looked at again later. */
  count: number
  /**
   * The moment for which the look at the last of these files, in their order, was planned;
   * undefined if there are no files.
   */
  until: Date | undefined
}

export interface WantedLook {
  storage: StorageName
  now: Date
  limit: number
  /**
   * True if the files that became due last come first. Otherwise the files that have been due
   * longest come first.
   */
  lastFirst?: boolean | undefined
  /** Where to begin in this order: at the files that became due at this moment. */
  from?: Date | undefined
}

/**
 * Looks at up to `limit` files whose look is due at `now`. Reserves those whose bytes should be
 * removed: files that were deleted or taken down, files past their longest life, and expired files
 * that the owner's tier at `now` cannot renew. (`linkStatus` has the same rule for the browser, and
 * a test compares the two.) For the other files it records when to look next, so that no run reads
 * them before that.
 *
 * It skips files that another server has reserved. It also skips a file that was taken down while
 * its SHA-256 is not proved, because the bytes are needed to compute it. The owners are locked, so
 * that no tier changes between this decision and its commit; files of an owner whose tier is just
 * being changed are skipped too.
 */
export async function lookAtFiles(
  db: Db,
  { storage, now, limit, lastFirst = false, from }: WantedLook,
): Promise<Look> {
  const lookAt = purgeLookSql(files)
  const columns = {
    id: files.id,
    lookAt: lookAt.as('look_at'),
    isDue: isOver(now).as('is_due'),
    dueAt: purgeDueAt(now).as('due_at'),
    nextLookAt: nextLookAt(now).as('next_look_at'),
  }
  const comesAfter = lastFirst ? sql`<=` : sql`>=`
  const wanted = db
    .select(columns)
    .from(files)
    .innerJoin(users, eq(users.id, files.ownerId))
    .where(
      sql`${files.purgedAt} is null
        and ${files.storage} = ${storage}
        and ${lookAt} <= ${now}
        and ${from === undefined ? sql`true` : sql`${lookAt} ${comesAfter} ${from}`}
        and (${files.takenDownAt} is null or ${files.isContentProved})`,
    )
    .orderBy(lastFirst ? desc(lookAt) : lookAt)
    .limit(limit)
    .for('update', { of: files, skipLocked: true })
  // Drizzle can write only one lock into a query. This query needs a second one, a weaker lock on
  // the owners.
  const look = db
    .$with('look', columns)
    .as(sql`${wanted.getSQL()} for share of ${users} skip locked`)
  const isDue = sql`${look.isDue}`
  const rows = await db
    .with(look)
    .update(files)
    .set({
      purgingAt: sql`coalesce(${files.purgingAt}, case when ${isDue} then ${now}::timestamptz end)`,
      purgeDueAt: sql`case when ${isDue} then ${look.dueAt} else ${files.purgeDueAt} end`,
      purgeTries: sql`${files.purgeTries} + ${isDue}::int`,
      purgeTryAt: sql`case when ${isDue} then ${nextTryAt(files.purgeTries, now)} else ${look.nextLookAt} end`,
    })
    .from(look)
    .where(eq(files.id, look.id))
    .returning({
      id: files.id,
      storageKey: files.storageKey,
      lookAt: sql`${look.lookAt}`.mapWith(files.expiresAt),
      isDue: sql<boolean>`${isDue}`,
    })
  const looks = rows.map((row) => row.lookAt.getTime())
  const until = lastFirst ? Math.min(...looks) : Math.max(...looks)
  return {
    claims: rows.filter((row) => row.isDue).map(({ id, storageKey }) => ({ id, storageKey })),
    count: rows.length,
    until: rows.length > 0 ? new Date(until) : undefined,
  }
}

/**
 * Locks a user whose files must be looked at again, until the transaction ends. Skips users that
 * another transaction has locked. Returns undefined when no such user is left.
 */
export async function lockUserToRecheck(tx: Db): Promise<string | undefined> {
  const [user] = await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.recheckFiles}`)
    .limit(1)
    .for('no key update', { skipLocked: true })
  return user?.id
}

/**
 * Removes the planned looks at up to `limit` expired files of a user, so that the next purge looks
 * at these files. Returns how many looks it removed: fewer than `limit` if none is left.
 */
export async function forgetPlannedLooks(tx: Db, ownerId: string, limit: number): Promise<number> {
  const planned = tx.$with('planned').as(
    tx
      .select({ id: files.id })
      .from(files)
      .where(
        and(
          eq(files.ownerId, ownerId),
          isNotNull(files.purgeTryAt),
          isNull(files.purgingAt),
          isNull(files.purgedAt),
        ),
      )
      // All statements that wait for locks on several files take them in this order, so that no two
      // wait for each other.
      .orderBy(files.id)
      .limit(limit)
      .for('update'),
  )
  const { rowCount } = await tx
    .with(planned)
    .update(files)
    .set({ purgeTryAt: null })
    .from(planned)
    .where(eq(files.id, planned.id))
  return rowCount ?? 0
}

/** Removes the mark of a user. Call this when no planned look at the user's files is left. */
export async function markRechecked(tx: Db, userId: string): Promise<void> {
  await tx.update(users).set({ recheckFiles: false }).where(eq(users.id, userId))
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
 * Returns a `with` query that writes a receipt for each row that the `with` query `removed` of the
 * same statement removes. A row without `purge_due_at` gets no receipt, because its bytes were
 * removed before this server wrote receipts.
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
 * been removed. It counts files whose purge has begun, and files that the purge has not looked at
 * in time. For both it uses an index, if the transaction has called `avoidTableScans`. It misses
 * files whose planned look `recheckFiles` has yet to remove.
 */
export async function countOverdue(tx: Db, now: Date): Promise<Overdue> {
  const before = new Date(now.getTime() - overdueMs)
  // The limit makes Postgres find the files first, and then the owner of each. Postgres expects
  // many files, because it does not know that nearly all purges that have begun have ended too. So
  // with a plain join it would read all users.
  const owner = tx.select().from(users).where(eq(users.id, files.ownerId)).limit(1).as('users')
  const dueDates = (which: SQL) =>
    tx
      .select({ dueAt: purgeDueAt(now).as('due_at') })
      .from(files)
      .innerJoinLateral(owner, sql`true`)
      .where(sql`${files.purgedAt} is null and ${which}`)
  const begun = sql`${files.purgingAt} is not null
    and (${files.purgeDueAt} <= ${before} or ${files.purgeDueAt} is null)`
  // With `is null`, Postgres could use an index of all files whose purge has not begun, and would
  // read all of it. Here it can only use the index of the next looks, and reads the due ones.
  const isNotBegun = sql`coalesce(${files.purgingAt}, 'infinity') = 'infinity'`
  const notBegun = sql`${isNotBegun} and ${isOver(now)}
    and ${inArray(files.storage, storageNames)} and ${purgeLookSql(files)} <= ${before}`
  const overdue = unionAll(dueDates(begun), dueDates(notBegun)).as('overdue')
  const [counted] = await tx
    .select({
      count: count(),
      since: sql`min(${overdue.dueAt})`.mapWith(files.purgeDueAt),
    })
    .from(overdue)
    .where(lte(overdue.dueAt, before))
  return counted ?? { count: 0, since: null }
}
