import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { blockedContent, files, links, reports, uploads } from '../db/schema.ts'
import { isOneOf, needsHashSql } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import { lockLinksOfFiles } from '../links/queries.ts'
import { endUploadsWhere } from '../uploads/removal-queries.ts'

/**
 * Returns the ids of the files of the link with this short code, and of those reported under it.
 * The latter may have been deleted, and their link may have been renewed.
 */
export async function findFilesToTakeDown(db: Db, shortCode: string): Promise<string[]> {
  const reportedFiles = db
    .select({ id: reports.fileId })
    .from(reports)
    .where(eq(reports.shortCode, shortCode))
  const linkIds = db
    .select({ id: links.id })
    .from(links)
    .where(eq(links.shortCode, shortCode))
    .union(
      db
        .select({ id: sql<string>`${files.linkId}` })
        .from(files)
        .where(inArray(files.id, reportedFiles)),
    )
  const rows = await db
    .select({ id: files.id })
    .from(files)
    .where(inArray(files.linkId, linkIds))
    .union(reportedFiles)
  return rows.map(({ id }) => id).sort()
}

/**
 * Locks the links of these files until the transaction ends, and ends their uploads. A job removes
 * the bytes.
 */
export async function endUploadsOfLinks(
  tx: Db,
  fileIds: readonly string[],
  now: Date,
): Promise<void> {
  const isListed = isOneOf(files.id, fileIds)
  await lockLinksOfFiles(tx, isListed)
  const linkIds = tx.select({ id: files.linkId }).from(files).where(isListed)
  await endUploadsWhere(tx, inArray(uploads.linkId, linkIds), now, 'job')
}

/** Returns the names of those files in `ids` that still exist, in alphabetical order. */
export async function findFileNames(db: Db, ids: string[]): Promise<string[]> {
  const rows = await db
    .select({ name: files.originalName })
    .from(files)
    .where(inArray(files.id, ids))
    .orderBy(files.searchName)
  return rows.map(({ name }) => name)
}

const content = {
  id: files.id,
  ownerId: files.ownerId,
  /** Null if the owner has deleted the file. */
  shortCode: links.shortCode,
  storage: files.storage,
  storageKey: files.storageKey,
  size: files.size,
  sha256: files.sha256,
  isContentProved: files.isContentProved,
  takenDownAt: files.takenDownAt,
  takedownReason: files.takedownReason,
  purgingAt: files.purgingAt,
  purgedAt: files.purgedAt,
}

/** Locks a file until the transaction ends. Returns undefined if its row no longer exists. */
export async function lockContent(tx: Db, id: string) {
  const [file] = await tx
    .select(content)
    .from(files)
    .leftJoin(links, eq(links.id, files.linkId))
    .where(eq(files.id, id))
    .for('update', { of: files })
  return file
}

/** The columns needed to block a file's content. */
export type ContentRow = NonNullable<Awaited<ReturnType<typeof lockContent>>>

/**
 * Blocks content. Empty content is never blocked, because that would block every empty file.
 * Returns false if nothing changed.
 */
export async function blockContent(
  tx: Db,
  content: typeof blockedContent.$inferInsert,
): Promise<boolean> {
  if (content.size === 0) return false
  const insertedRows = await tx
    .insert(blockedContent)
    .values(content)
    .onConflictDoNothing()
    .returning({ sha256: blockedContent.sha256 })
  return insertedRows.length > 0
}

/** Returns those of the SHA-256s whose content is blocked. */
export async function findBlocked(
  db: Db,
  sha256s: readonly string[],
): Promise<ReadonlySet<string>> {
  if (sha256s.length === 0) return new Set()
  const rows = await db
    .select({ sha256: blockedContent.sha256 })
    .from(blockedContent)
    .where(inArray(blockedContent.sha256, [...sha256s]))
  return new Set(rows.map(({ sha256 }) => sha256))
}

/**
 * Lists up to `limit` files in a store that need a SHA-256, ordered by id. Starts with the first id
 * greater than `after`.
 */
export function listFilesToHash(
  db: Db,
  storage: StorageName,
  after: string | null,
  limit: number,
): Promise<ContentRow[]> {
  return db
    .select(content)
    .from(files)
    .leftJoin(links, eq(links.id, files.linkId))
    .where(
      and(
        eq(files.storage, storage),
        needsHashSql(files),
        after === null ? undefined : gt(files.id, after),
      ),
    )
    .orderBy(files.id)
    .limit(limit)
}

/**
 * Saves the digest of a locked file in its row and in its open report, so that a takedown can use
 * it even after the row is removed. Null values mean that there are no bytes.
 */
export async function saveDigest(
  tx: Db,
  { id, sha256, crc32 }: Pick<ContentRow, 'id' | 'sha256'> & { crc32: number | null },
): Promise<void> {
  await tx.update(files).set({ sha256, crc32, isContentProved: true }).where(eq(files.id, id))
  if (sha256 === null) return
  await tx
    .update(reports)
    .set({ provedSha256: sha256 })
    .where(and(eq(reports.fileId, id), isNull(reports.closedAt)))
}
