import {
  and,
  count,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { LinkStatus } from '../../shared/rules/links/link-status.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { blockedContent, files, links } from '../db/schema.ts'
import { isOneOf, sqlLiteral } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import { type LinkRow, lockLinksOfFiles, recountLinks } from '../links/queries.ts'
import { insertReceipts, isPurgeDue, purgeDueAt, receiptColumns } from './purge-queries.ts'

export { markPurged } from './purge-queries.ts'

type LinkColumns = Pick<LinkRow, 'shortCode' | 'expiresAt' | 'maxLifetimeAt'>

/** A file with its link's code and dates (spec §3, File). */
export type FileRow = typeof files.$inferSelect & LinkColumns

/** The columns of `FileRow`. The query must join `links`. */
export const fileColumns = {
  ...getTableColumns(files),
  shortCode: links.shortCode,
  expiresAt: links.expiresAt,
  maxLifetimeAt: links.maxLifetimeAt,
}

/**
 * SQL to join a file with its link. The owner is the same, and lets Postgres find an owner's links
 * with an index.
 */
export const isLinkOfFile = sql`(${links.id} = ${files.linkId} and ${links.ownerId} = ${files.ownerId})`

/** Finds one of a user's files, except deleted ones. */
export async function findFile(
  db: Db,
  ownerId: string,
  key: { id: string } | { storageKey: string },
): Promise<FileRow | undefined> {
  const hasKey = 'id' in key ? eq(files.id, key.id) : eq(files.storageKey, key.storageKey)
  const [file] = await db
    .select(fileColumns)
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(and(hasKey, eq(files.ownerId, ownerId), isNull(files.deletedAt)))
  return file
}

/** Counts an account's stored files and their bytes, and its links that are active at `now`. */
export async function countStoredFiles(
  db: Db,
  ownerId: string,
  now: Date,
): Promise<{ fileCount: number; totalSize: number; activeLinks: number }> {
  const isActive = and(gt(links.expiresAt, now), gt(links.maxLifetimeAt, now))
  const [row] = await db
    .select({
      fileCount: count(),
      totalSize: sql`coalesce(sum(${files.size}), 0)`.mapWith(Number),
      activeLinks: sql`count(distinct ${links.id}) filter (where ${isActive})`.mapWith(Number),
    })
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(and(eq(files.ownerId, ownerId), isNull(files.purgingAt), isNull(files.purgedAt)))
  return row ?? { fileCount: 0, totalSize: 0, activeLinks: 0 }
}

const active = sqlLiteral<LinkStatus>('active')
const deletedStatus = sqlLiteral<LinkStatus>('deleted')

/**
 * SQL for a file's link status. The query must join `links`. Must agree with `linkStatus`; a test
 * compares the two.
 */
export function statusOf(ownerTier: Tier, now: Date): SQL<LinkStatus> {
  const expired: LinkStatus = tierTraits[ownerTier].renewal ? 'private' : 'deleted'
  return sql`case
    when ${links.maxLifetimeAt} <= ${now} or ${files.purgingAt} is not null then ${deletedStatus}
    when ${links.expiresAt} <= ${now} then ${expired}
    else ${active}
  end`
}

/** A file that its owner deleted. `purgedAt` is null while its bytes are stored. */
export type DeletedFile = Pick<
  FileRow,
  'id' | 'storage' | 'storageKey' | 'purgedAt' | 'takenDownAt'
>

/**
 * Deletes files and returns them. A link ends with its last file. A file without bytes is replaced
 * with a receipt; the caller or the next purge removes the bytes of the other files. If calls run
 * in parallel, only one of them returns a given file.
 */
export function markDeletedWhere(
  db: Db,
  condition: SQL | undefined,
  now: Date,
): Promise<DeletedFile[]> {
  const isSelected = and(isNull(files.deletedAt), condition)
  return db.transaction(async (tx) => {
    await lockLinksOfFiles(tx, isSelected)
    const selectedFiles = tx.$with('due').as(
      tx
        .select({
          id: files.id,
          linkId: files.linkId,
          storage: files.storage,
          storageKey: files.storageKey,
          purgedAt: files.purgedAt,
          takenDownAt: files.takenDownAt,
          dueAt: purgeDueAt(now).as('due_at'),
        })
        .from(files)
        .innerJoin(links, isLinkOfFile)
        .where(isSelected)
        // A consistent order prevents deadlocks.
        .orderBy(files.id)
        .for('update', { of: files }),
    )
    const idsOf = (rows: SQL) => tx.select({ id: selectedFiles.id }).from(selectedFiles).where(rows)
    const removed = tx.$with('removed').as(
      tx
        .delete(files)
        .where(inArray(files.id, idsOf(isNotNull(selectedFiles.purgedAt))))
        .returning({ ...receiptColumns, purgedAt: files.purgedAt }),
    )
    const receipts = insertReceipts(tx, sql`purged_at`)
    const markedFiles = tx.$with('marked_files').as(
      tx
        .update(files)
        .set({
          deletedAt: now,
          linkId: null,
          purgingAt: sql`coalesce(${files.purgingAt}, ${now})`,
          purgeDueAt: sql`${selectedFiles.dueAt}`,
          purgeAt: now,
        })
        .from(selectedFiles)
        .where(and(eq(files.id, selectedFiles.id), isNull(selectedFiles.purgedAt)))
        .returning({ id: files.id }),
    )
    const deletedFiles = await tx
      .with(selectedFiles, removed, receipts, markedFiles)
      .select()
      .from(selectedFiles)
    await recountLinks(tx, [...new Set(deletedFiles.map(({ linkId }) => linkId))])
    return deletedFiles
  })
}

/** Deletes a user's files by id. Returns the deleted ones. */
export function markDeleted(
  db: Db,
  ownerId: string,
  ids: readonly string[],
  now: Date,
): Promise<DeletedFile[]> {
  const hasListedId = isOneOf(files.id, ids)
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
export function renameFile(
  db: Db,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const isFile = and(eq(files.id, id), eq(files.originalName, from))
  return db.transaction(async (tx) => {
    await lockLinksOfFiles(tx, isFile)
    const [file] = await tx
      .update(files)
      .set({ originalName: to })
      .where(isFile)
      .returning({ linkId: files.linkId })
    if (file) await recountLinks(tx, [file.linkId])
    return file !== undefined
  })
}

/**
 * Takes down up to `limit` files with stored bytes. They can no longer be downloaded, and the
 * caller or the next purge removes their bytes. The rows stay in their owners' history. `condition`
 * and `reason` can use the columns of `blocked_content`, joined by SHA-256.
 */
function takeDownWhere(
  db: Db,
  {
    condition,
    reason,
    limit,
    now,
  }: { condition: SQL | undefined; reason: SQL; limit: number; now: Date },
) {
  const selectedFiles = db.$with('due').as(
    db
      .select({
        id: files.id,
        shortCode: links.shortCode,
        expiresAt: links.expiresAt,
        reason: reason.as('reason'),
        dueAt: purgeDueAt(now).as('due_at'),
      })
      .from(files)
      .innerJoin(links, isLinkOfFile)
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
    })
    .from(selectedFiles)
    .where(eq(files.id, selectedFiles.id))
    .returning({
      id: files.id,
      ownerId: files.ownerId,
      shortCode: selectedFiles.shortCode,
      storage: files.storage,
      storageKey: files.storageKey,
      sha256: files.sha256,
      takedownReason: files.takedownReason,
      expiresAt: selectedFiles.expiresAt,
    })
}

/**
 * A file that was just taken down. Without the takedown, its link would have expired at
 * `expiresAt`.
 */
export type TakenDownFile = Awaited<ReturnType<typeof takeDownWhere>>[number]

/** Takes down a file. Returns undefined if its bytes are gone or being removed. */
export async function takeDownFile(
  tx: Db,
  id: string,
  reason: string,
  now: Date,
): Promise<TakenDownFile | undefined> {
  const options = { condition: eq(files.id, id), reason: sql`${reason}::text`, limit: 1, now }
  const [takenDownFile] = await takeDownWhere(tx, options)
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
