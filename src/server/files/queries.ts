import { and, count, desc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { customAlphabet } from 'nanoid'
import type { File } from '../../shared/contract/files.ts'
import { shortCodeAlphabet, shortCodeLength } from '../../shared/rules/short-code.ts'
import { files, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { StorageName } from '../storage/storage-name.ts'
import { isFreeAt } from '../tiers/queries.ts'

export type FileRow = typeof files.$inferSelect

/** Returns a file as its owner sees it. Its bytes count as gone as soon as their removal begins. */
export function toFile(row: FileRow): File {
  return {
    id: row.id,
    originalName: row.originalName,
    mimeType: row.mimeType,
    size: row.size,
    shortCode: row.shortCode,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    maxLifetimeAt: row.maxLifetimeAt.toISOString(),
    downloadCount: row.downloadCount,
    uploadDuration: row.uploadDuration,
    sha256: row.sha256,
    purgedAt: (row.purgedAt ?? row.purgingAt)?.toISOString() ?? null,
  }
}

/**
 * Makes a random short code. The insert into `short_codes` fails if the code was ever given before.
 */
export const newShortCode = customAlphabet(shortCodeAlphabet, shortCodeLength)

/** Finds the file that an upload became, unless its owner has deleted it. */
export async function findFileByKey(
  db: Db,
  ownerId: string,
  storageKey: string,
): Promise<FileRow | undefined> {
  const [row] = await db
    .select()
    .from(files)
    .where(
      and(eq(files.storageKey, storageKey), eq(files.ownerId, ownerId), isNull(files.deletedAt)),
    )
  return row
}

/** Counts what an account holds: files with bytes, their bytes, and links that open at `now`. */
export async function countHoldings(
  db: Db,
  ownerId: string,
  now: Date,
): Promise<{ fileCount: number; totalSize: number; activeLinks: number }> {
  const isActive = and(gt(files.expiresAt, now), gt(files.maxLifetimeAt, now))
  const [counted] = await db
    .select({
      fileCount: count(),
      totalSize: sql`coalesce(sum(${files.size}), 0)`.mapWith(Number),
      activeLinks: sql`count(*) filter (where ${isActive})`.mapWith(Number),
    })
    .from(files)
    .where(and(eq(files.ownerId, ownerId), isNull(files.purgingAt), isNull(files.purgedAt)))
  return counted ?? { fileCount: 0, totalSize: 0, activeLinks: 0 }
}

/** The end of a page of files. It is the position of the page's last row. */
export interface Position {
  createdAt: Date
  id: string
}

/**
 * Makes the function that lists a user's files, newest first. `after` and `limit` may restrict the
 * list. The query is prepared, because browsers ask it after every upload.
 */
export function prepareListFiles(db: Db) {
  const { placeholder } = sql
  const list = (name: string, beyond?: SQL) =>
    db
      .select()
      .from(files)
      .where(and(eq(files.ownerId, placeholder('ownerId')), isNull(files.deletedAt), beyond))
      .orderBy(desc(files.createdAt), desc(files.id))
      .limit(placeholder('limit'))
      .prepare(name)
  const first = list('list_files')
  const next = list(
    'list_files_after',
    sql`(${files.createdAt}, ${files.id}) < (${placeholder('createdAt')}::timestamptz, ${placeholder('id')}::uuid)`,
  )
  return (
    ownerId: string,
    page: { limit?: number | undefined; after?: Position | undefined },
  ): Promise<FileRow[]> => {
    // Postgres reads a limit of null as no limit.
    const limit = page.limit ?? null
    const { after } = page
    return after ? next.execute({ ownerId, limit, ...after }) : first.execute({ ownerId, limit })
  }
}

/**
 * Deletes a file for its owner: its link ends now, and its bytes are to be removed. Of parallel
 * callers exactly one gets the row.
 */
export async function markDeleted(
  db: Db,
  ownerId: string,
  id: string,
  now: Date,
): Promise<FileRow | undefined> {
  const [row] = await db
    .update(files)
    .set({
      deletedAt: now,
      purgingAt: now,
      // The purge finds files by an index on this date.
      expiresAt: sql`least(${files.expiresAt}, ${now})`,
    })
    .where(and(eq(files.id, id), eq(files.ownerId, ownerId), isNull(files.deletedAt)))
    .returning()
  return row
}

/** A claim older than this belongs to a run that was cut off. Another run may take it over. */
const claimMs = 10 * 60 * 1000

/**
 * Claims up to `limit` files whose bytes are to be removed: deleted by their owner, past their 30
 * days, or expired while their owner is free at `now`. (`linkStatus` decides the same in the
 * browser; a test compares the two.) Claims of other servers are left alone.
 */
export async function claimFilesToPurge(
  db: Db,
  storage: StorageName,
  now: Date,
  limit: number,
): Promise<Pick<FileRow, 'id' | 'storageKey'>[]> {
  const staleClaim = new Date(now.getTime() - claimMs)
  const due = db
    .select({ id: files.id })
    .from(files)
    .innerJoin(users, eq(users.id, files.ownerId))
    .where(
      sql`${files.purgedAt} is null
        and ${files.storage} = ${storage}
        and ${files.expiresAt} <= ${now}
        and (${files.purgingAt} is null or ${files.purgingAt} <= ${staleClaim})
        and (${files.purgingAt} is not null or ${files.maxLifetimeAt} <= ${now} or ${isFreeAt(now)})`,
    )
    .limit(limit)
    .for('update', { of: files, skipLocked: true })
  return db
    .update(files)
    .set({ purgingAt: now })
    .where(inArray(files.id, due))
    .returning({ id: files.id, storageKey: files.storageKey })
}

/** Records that the bytes of these files are gone. Rows of deleted files are removed. */
export async function markPurged(db: Db, ids: string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await db.transaction(async (tx) => {
    await tx.delete(files).where(and(inArray(files.id, ids), isNotNull(files.deletedAt)))
    await tx.update(files).set({ purgedAt: now }).where(inArray(files.id, ids))
  })
}
