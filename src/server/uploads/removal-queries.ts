import { and, desc, eq, inArray, lt, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { idleUploadTimeoutMs } from '../../shared/rules/files/retention.ts'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { deletionReceipts, links, removals, uploads } from '../db/schema.ts'
import { isOneOf, rowValues } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import { recountLinks } from '../links/queries.ts'
import { nextAttemptAt, overdueMs } from '../storage/remove-stored.ts'
import { isOwnedUpload } from './queries.ts'

/** An upload that ended without becoming a file. Its bytes must be removed. */
export type EndedUpload = Pick<typeof removals.$inferSelect, 'storageKey' | 'storage'>

/**
 * Who makes the first attempt to remove the bytes. If the caller's attempt fails, the
 * `sweep-uploads` job retries it after two minutes.
 */
export type FirstAttempt = 'caller' | 'job'

const endedUploadColumns = { storageKey: removals.storageKey, storage: removals.storage }

/**
 * Ends uploads and queues the removal of their bytes in `removals`. If calls run in parallel, only
 * one of them returns a given upload.
 */
export function endUploadsWhere(
  db: Db,
  condition: SQL | undefined,
  now: Date,
  firstAttempt: FirstAttempt = 'caller',
): Promise<EndedUpload[]> {
  const lockedUploads = selectIds(db)
    .where(condition)
    // A consistent order prevents deadlocks.
    .orderBy(links.id, uploads.storageKey)
    .for('update')
  return endLocked(db, lockedUploads, now, firstAttempt)
}

export async function endUploads(
  db: Db,
  ownerId: string,
  storageKeys: readonly string[],
  now: Date,
): Promise<EndedUpload[]> {
  if (storageKeys.length === 0) return []
  return endUploadsWhere(db, isOwnedUpload(ownerId, storageKeys), now)
}

/** Ends a user's uploads by id. A job removes the bytes. Returns the ids of the uploads. */
export async function endUploadsById(
  db: Db,
  ownerId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  const hasListedId = isOneOf(uploads.id, ids)
  const isSelected = and(eq(uploads.ownerId, ownerId), hasListedId)
  const rows = await db.select({ id: uploads.id }).from(uploads).where(isSelected)
  if (rows.length > 0) await endUploadsWhere(db, isSelected, now, 'job')
  return rows.map(({ id }) => id)
}

/** Ends up to `limit` uploads without activity since `before`, longest idle first. */
export function endIdleUploads(
  db: Db,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<EndedUpload[]> {
  const idleUploads = selectIds(db)
    .where(lt(uploads.lastActivityAt, before))
    .orderBy(uploads.lastActivityAt)
    .limit(limit)
    .for('update', { skipLocked: true })
  return endLocked(db, idleUploads, now)
}

/**
 * Ends all of a user's uploads except the `keep` most recently active. A job removes their bytes.
 */
export function endSurplusUploads(
  tx: Db,
  ownerId: string,
  keep: number,
  now: Date,
): Promise<EndedUpload[]> {
  const surplusUploads = tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(eq(uploads.ownerId, ownerId))
    .orderBy(desc(uploads.lastActivityAt), desc(uploads.createdAt))
    .offset(keep)
  const lockedUploads = selectIds(tx)
    .where(inArray(uploads.id, surplusUploads))
    // Skips locked uploads, which are being confirmed or ended.
    .for('update', { skipLocked: true })
  return endLocked(tx, lockedUploads, now, 'job')
}

/** Selects ids of uploads, with their links: ending an upload locks both. */
function selectIds(db: Db) {
  return db.select({ id: uploads.id }).from(links).innerJoin(uploads, eq(uploads.linkId, links.id))
}

/**
 * Ends the uploads that `lockedUploads` selects. Their bytes are due for removal now, or 24 hours
 * after their last activity if that is earlier. A link without other files or uploads is removed.
 */
function endLocked(
  db: Db,
  lockedUploads: SQLWrapper,
  now: Date,
  firstAttempt: FirstAttempt = 'caller',
): Promise<EndedUpload[]> {
  const { id, storageKey, storage, lastActivityAt, linkId } = uploads
  const endedUploads = db.$with('ended').as(
    db
      .delete(uploads)
      // An array, so that the subquery runs only once, before the first row is deleted.
      .where(sql`${id} = any(array${lockedUploads})`)
      .returning({ storageKey, storage, lastActivityAt, linkId }),
  )
  const row = rowValues(removals, {
    storageKey: endedUploads.storageKey,
    storage: endedUploads.storage,
    dueAt: sql`least(${endedUploads.lastActivityAt} + ${idleUploadTimeoutMs} * interval '1 millisecond', ${now}::timestamptz)`,
    ...(firstAttempt === 'caller'
      ? { tries: sql`1`, tryAt: nextAttemptAt(0, now) }
      : { tries: sql`0`, tryAt: sql`${now}::timestamptz` }),
  })
  const queued = db
    .$with('queued')
    .as(db.insert(removals).select(sql`select ${row} from ${endedUploads}`))
  return db.transaction(async (tx) => {
    const rows = await tx.with(endedUploads, queued).select().from(endedUploads)
    if (rows.length > 0)
      await recountLinks(
        tx,
        rows.map(({ linkId }) => linkId),
      )
    return rows
  })
}

/** Claims up to `limit` removals that are due for an attempt and not claimed by another server. */
export function claimRemovals(
  db: Db,
  { storage, now, limit }: { storage: StorageName; now: Date; limit: number },
): Promise<EndedUpload[]> {
  const dueRemovals = db
    .select({ key: removals.storageKey })
    .from(removals)
    .where(sql`${removals.storage} = ${storage} and ${removals.tryAt} <= ${now}`)
    .orderBy(removals.tryAt)
    .limit(limit)
    .for('update', { skipLocked: true })
  return db
    .update(removals)
    .set({ tries: sql`${removals.tries} + 1`, tryAt: nextAttemptAt(removals.tries, now) })
    .where(inArray(removals.storageKey, dueRemovals))
    .returning(endedUploadColumns)
}

/**
 * Deletes these keys' rows in `removals`, once storage has confirmed that the bytes are gone. Adds
 * a receipt for bytes that belonged to a file.
 */
export async function completeRemovals(
  db: Db,
  keys: ReadonlySet<string>,
  now: Date,
): Promise<void> {
  if (keys.size === 0) return
  const { fileId, ownerId, storage, storageKey, dueAt } = removals
  const endedRemovals = db.$with('ended').as(
    db
      .delete(removals)
      .where(inArray(storageKey, [...keys]))
      .returning({ fileId, ownerId, storage, storageKey, dueAt }),
  )
  // The receipt has no file name, because the owner's account has been deleted.
  const receipt = rowValues(deletionReceipts, {
    fileId: endedRemovals.fileId,
    ownerId: endedRemovals.ownerId,
    storage: endedRemovals.storage,
    storageKey: endedRemovals.storageKey,
    dueAt: endedRemovals.dueAt,
    purgedAt: sql`${now}::timestamptz`,
  })
  await db
    .with(endedRemovals)
    .insert(deletionReceipts)
    .select(sql`select ${receipt} from ${endedRemovals} where file_id is not null`)
}

/**
 * Queues the removal of a key's bytes at `dueAt`. Until that time, storage accepts bytes under this
 * key.
 */
export async function insertRemoval(
  tx: Db,
  { dueAt, ...key }: EndedUpload & { dueAt: Date },
): Promise<void> {
  await tx.insert(removals).values({ ...key, dueAt, tries: 0, tryAt: dueAt })
}

/** Counts removals that are at least 15 minutes overdue. `since` is the oldest due time. */
export async function countOverdueRemovals(
  db: Db,
  now: Date,
): Promise<{ count: number; since: Date | null }> {
  const [row] = await db
    .select({
      count: sql`count(*)`.mapWith(Number),
      since: sql`min(${removals.dueAt})`.mapWith(removals.dueAt),
    })
    .from(removals)
    .where(lte(removals.dueAt, new Date(now.getTime() - overdueMs)))
  return row ?? { count: 0, since: null }
}
