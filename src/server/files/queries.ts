import { and, count, eq, gt, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { customAlphabet } from 'nanoid'
import type { LinkStatus } from '../../shared/rules/links/link-status.ts'
import { shortCodeAlphabet, shortCodeLength } from '../../shared/rules/links/short-code.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { blockedContent, files, shortCodes, users } from '../db/schema.ts'
import { sqlLiteral } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import {
  insertReceipts,
  isPurgeDue,
  purgeAtOf,
  purgeDueAt,
  receiptColumns,
  renewalEndsAt,
} from './purge-queries.ts'

export { markPurged } from './purge-queries.ts'

export type FileRow = typeof files.$inferSelect

/**
 * Generates a short code. Inserting a code into `short_codes` fails if it was ever issued before.
 */
export const newShortCode = customAlphabet(shortCodeAlphabet, shortCodeLength)

/** Finds an owner's files by storage key, except deleted ones. */
export async function findFilesByKey(
  db: Db,
  ownerId: string,
  storageKeys: readonly string[],
): Promise<ReadonlyMap<string, FileRow>> {
  const rows = await db
    .select()
    .from(files)
    .where(
      and(
        sql`${files.storageKey} = any(${sql.param(storageKeys)}::text[])`,
        eq(files.ownerId, ownerId),
        isNull(files.deletedAt),
      ),
    )
  return new Map(rows.map((row) => [row.storageKey, row]))
}

/** Counts an account's stored files and their bytes, and its links that are active at `now`. */
export async function countStoredFiles(
  db: Db,
  ownerId: string,
  now: Date,
): Promise<{ fileCount: number; totalSize: number; activeLinks: number }> {
  const isActive = and(gt(files.expiresAt, now), gt(files.maxLifetimeAt, now))
  const [row] = await db
    .select({
      fileCount: count(),
      totalSize: sql`coalesce(sum(${files.size}), 0)`.mapWith(Number),
      activeLinks: sql`count(*) filter (where ${isActive})`.mapWith(Number),
    })
    .from(files)
    .where(and(eq(files.ownerId, ownerId), isNull(files.purgingAt), isNull(files.purgedAt)))
  return row ?? { fileCount: 0, totalSize: 0, activeLinks: 0 }
}

const active = sqlLiteral<LinkStatus>('active')
const deletedStatus = sqlLiteral<LinkStatus>('deleted')

/** SQL for a file's link status. Must agree with `linkStatus`; a test compares the two. */
export function statusOf(ownerTier: Tier, now: Date): SQL<LinkStatus> {
  const expired: LinkStatus = tierTraits[ownerTier].renewal ? 'private' : 'deleted'
  return sql`case
    when ${files.maxLifetimeAt} <= ${now} or ${files.purgingAt} is not null then ${deletedStatus}
    when ${files.expiresAt} <= ${now} then ${expired}
    else ${active}
  end`
}

/** A file that its owner deleted. `purgedAt` is null while its bytes are stored. */
export type DeletedFile = Pick<
  FileRow,
  'id' | 'storage' | 'storageKey' | 'purgedAt' | 'takenDownAt'
>

/**
 * Deletes files in one statement and returns them. Their links end at once. A file without bytes is
 * replaced with a receipt; the caller or the next purge removes the bytes of the other files. If
 * calls run in parallel, only one of them returns a given file.
 */
async function markDeletedWhere(
  db: Db,
  condition: SQL | undefined,
  now: Date,
): Promise<DeletedFile[]> {
  const selectedFiles = db.$with('due').as(
    db
      .select({
        id: files.id,
        storage: files.storage,
        storageKey: files.storageKey,
        purgedAt: files.purgedAt,
        takenDownAt: files.takenDownAt,
        dueAt: purgeDueAt(now).as('due_at'),
      })
      .from(files)
      .where(and(isNull(files.deletedAt), condition))
      // A consistent order prevents deadlocks.
      .orderBy(files.id)
      .for('update', { of: files }),
  )
  const idsOf = (rows: SQL) => db.select({ id: selectedFiles.id }).from(selectedFiles).where(rows)
  const removed = db.$with('removed').as(
    db
      .delete(files)
      .where(inArray(files.id, idsOf(isNotNull(selectedFiles.purgedAt))))
      .returning({ ...receiptColumns, purgedAt: files.purgedAt }),
  )
  const receipts = insertReceipts(db, sql`purged_at`)
  const markedFiles = db.$with('marked_files').as(
    db
      .update(files)
      .set({
        deletedAt: now,
        purgingAt: sql`coalesce(${files.purgingAt}, ${now})`,
        purgeDueAt: sql`${selectedFiles.dueAt}`,
        purgeAt: now,
        expiresAt: sql`least(${files.expiresAt}, ${now})`,
      })
      .from(selectedFiles)
      .where(and(eq(files.id, selectedFiles.id), isNull(selectedFiles.purgedAt)))
      .returning({ id: files.id }),
  )
  return db.with(selectedFiles, removed, receipts, markedFiles).select().from(selectedFiles)
}

/** Deletes a user's files by id. Returns the deleted ones. */
export function markDeleted(
  db: Db,
  ownerId: string,
  ids: readonly string[],
  now: Date,
): Promise<DeletedFile[]> {
  const hasListedId = sql`${files.id} = any(${sql.param(ids)}::uuid[])`
  return markDeletedWhere(db, and(eq(files.ownerId, ownerId), hasListedId), now)
}

/** Deletes a user's history. Returns the deleted files. */
export function markExpiredDeleted(db: Db, { id, tier }: Owner, now: Date): Promise<DeletedFile[]> {
  const isDeleted = sql`${statusOf(tier, now)} = ${deletedStatus}`
  return markDeletedWhere(db, and(eq(files.ownerId, id), isDeleted), now)
}

/** A range of file ids: after `after`, up to and including `end`. Null means unbounded. */
export interface FilePage {
  after: string | null
  end: string | null
}

function isOnPage({ after, end }: FilePage): SQL | undefined {
  return and(
    after === null ? undefined : gt(files.id, after),
    end === null ? undefined : lte(files.id, end),
  )
}

/**
 * Returns the page with the next `size` files after the id `after`. The last page has no end.
 * Working in pages limits how many rows each statement reads.
 */
export async function nextFilePage(db: Db, after: string | null, size: number): Promise<FilePage> {
  const [last] = await db
    .select({ id: files.id })
    .from(files)
    .where(isOnPage({ after, end: null }))
    .orderBy(files.id)
    .offset(size - 1)
    .limit(1)
  return { after, end: last?.id ?? null }
}

/**
 * Deletes all users' files on this page whose links have ended by `now` and can't be renewed.
 * Returns them.
 */
export function markAllExpiredDeleted(db: Db, page: FilePage, now: Date): Promise<DeletedFile[]> {
  return markDeletedWhere(db, and(isOnPage(page), isPurgeDue(now)), now)
}

/** Lists the ids and names of the files on this page, except deleted ones. */
export function listNames(db: Db, page: FilePage): Promise<Pick<FileRow, 'id' | 'originalName'>[]> {
  return db
    .select({ id: files.id, originalName: files.originalName })
    .from(files)
    .where(and(isOnPage(page), isNull(files.deletedAt)))
}

/** Renames a file. Returns false if it no longer exists or its name is no longer `from`. */
export async function renameFile(
  db: Db,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await db
    .update(files)
    .set({ originalName: to })
    .where(and(eq(files.id, id), eq(files.originalName, from)))
  return rowCount === 1
}

/**
 * A file that was just taken down. Without the takedown, its link would have expired at
 * `expiresAt`.
 */
export type TakenDownFile = Pick<
  FileRow,
  | 'id'
  | 'ownerId'
  | 'shortCode'
  | 'storage'
  | 'storageKey'
  | 'sha256'
  | 'takedownReason'
  | 'expiresAt'
>

/**
 * Takes down up to `limit` files with stored bytes. Their links end at once, and the caller or the
 * next purge removes their bytes. The rows stay in their owners' history. `condition` and
 * `reason` can use the columns of `blocked_content`, joined by SHA-256.
 */
async function takeDownWhere(
  db: Db,
  {
    condition,
    reason,
    limit,
    now,
  }: { condition: SQL | undefined; reason: SQL; limit: number; now: Date },
): Promise<TakenDownFile[]> {
  const selectedFiles = db.$with('due').as(
    db
      .select({
        id: files.id,
        expiresAt: files.expiresAt,
        reason: reason.as('reason'),
        dueAt: purgeDueAt(now).as('due_at'),
      })
      .from(files)
      .leftJoin(blockedContent, eq(blockedContent.sha256, files.sha256))
      .where(and(isNull(files.purgingAt), isNull(files.purgedAt), condition))
      .orderBy(files.id)
      .limit(limit)
      .for('update', { of: files }),
  )
  return db
    .with(selectedFiles)
    .update(files)
    .set({
      takenDownAt: now,
      takedownReason: sql`${selectedFiles.reason}`,
      purgingAt: now,
      purgeDueAt: sql`${selectedFiles.dueAt}`,
      purgeAt: now,
      expiresAt: sql`least(${files.expiresAt}, ${now})`,
    })
    .from(selectedFiles)
    .where(eq(files.id, selectedFiles.id))
    .returning({
      id: files.id,
      ownerId: files.ownerId,
      shortCode: files.shortCode,
      storage: files.storage,
      storageKey: files.storageKey,
      sha256: files.sha256,
      takedownReason: files.takedownReason,
      expiresAt: selectedFiles.expiresAt,
    })
}

/** Takes down a file. Returns undefined if its bytes are gone or being removed. */
export async function takeDownFile(
  tx: Db,
  id: string,
  reason: string,
  now: Date,
): Promise<TakenDownFile | undefined> {
  const condition = eq(files.id, id)
  const [takenDownFile] = await takeDownWhere(tx, {
    condition,
    reason: sql`${reason}::text`,
    limit: 1,
    now,
  })
  return takenDownFile
}

/**
 * Takes down up to `limit` files with blocked content, or only with the blocked content `sha256`.
 * Only a SHA-256 computed by the server counts.
 */
export function takeDownBlocked(
  tx: Db,
  { sha256, limit, now }: { sha256: string | undefined; limit: number; now: Date },
): Promise<TakenDownFile[]> {
  const condition = and(
    isNotNull(blockedContent.sha256),
    eq(files.isContentProved, true),
    sha256 === undefined ? undefined : eq(blockedContent.sha256, sha256),
  )
  return takeDownWhere(tx, { condition, reason: sql`${blockedContent.reason}`, limit, now })
}

/** Locks a user's file until the transaction ends. Returns undefined for a deleted file. */
export async function lockFile(tx: Db, ownerId: string, id: string): Promise<FileRow | undefined> {
  const [file] = await tx
    .select()
    .from(files)
    .where(and(eq(files.id, id), eq(files.ownerId, ownerId), isNull(files.deletedAt)))
    .for('update')
  return file
}

/**
 * Gives a locked file a new short code and expiry. The owner's row must be locked too. Fails if the
 * code was issued before.
 */
export async function issueNewLink(
  tx: Db,
  { id, ownerId }: Pick<FileRow, 'id' | 'ownerId'>,
  { shortCode, issuedAt, expiresAt }: { shortCode: string; issuedAt: Date; expiresAt: Date },
): Promise<FileRow> {
  const issuedCode = tx
    .$with('issued')
    .as(
      tx
        .insert(shortCodes)
        .values({ code: shortCode, issuedAt })
        .returning({ code: shortCodes.code }),
    )
  const dates = { expiresAt: sql`${expiresAt}::timestamptz`, maxLifetimeAt: files.maxLifetimeAt }
  const renewalEnd = sql`(select ${renewalEndsAt(issuedAt)} from ${users} where ${eq(users.id, ownerId)})`
  const [file] = await tx
    .with(issuedCode)
    .update(files)
    .set({
      shortCode: sql`(select ${issuedCode.code} from ${issuedCode})`,
      expiresAt,
      purgeAt: purgeAtOf(dates, renewalEnd),
    })
    .where(eq(files.id, id))
    .returning()
  if (!file) throw new Error(`the file ${id} was deleted while it was locked`)
  return file
}
