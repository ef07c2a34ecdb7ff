import { and, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { customAlphabet } from 'nanoid'
import type { File } from '../../shared/contract/files.ts'
import { shortCodeAlphabet, shortCodeLength } from '../../shared/rules/short-code.ts'
import { files, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { StorageName } from '../storage/storage-name.ts'

export type FileRow = typeof files.$inferSelect

/** A file as its owner sees it. From the moment its bytes begin to go they are gone for everybody. */
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

/** A fresh short code, to be recorded as given; that it never was before is for the record to say. */
export const newShortCode = customAlphabet(shortCodeAlphabet, shortCodeLength)

/** The file that came of an upload, unless its owner deleted it since. */
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

/** Where a page of files ends: the last row's place in the order. */
export interface Position {
  createdAt: Date
  id: string
}

/**
 * Makes the function that lists a user's files, newest first: those after `after` when given, at most
 * `limit` when given. Prepared, since browsers ask for it after every upload.
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
    // To Postgres a limit of null is none.
    const limit = page.limit ?? null
    const { after } = page
    return after ? next.execute({ ownerId, limit, ...after }) : first.execute({ ownerId, limit })
  }
}

/**
 * Ends a file for good in its owner's name: from here its link is dead and its bytes are to be
 * removed. Of parallel callers exactly one is told the key.
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
      // An index on this date leads the purge to everything that is over.
      expiresAt: sql`least(${files.expiresAt}, ${now})`,
    })
    .where(and(eq(files.id, id), eq(files.ownerId, ownerId), isNull(files.deletedAt)))
    .returning()
  return row
}

/** A claim that no one has finished for this long was cut off and is taken over. */
const claimMs = 10 * 60 * 1000

/**
 * Claims up to `limit` files whose bytes are to go: deleted by their owner, past their 30 days, or
 * expired while their owner is free at `now` (`linkStatus` says the same in the browser; a test
 * holds the two together). Another server's claims are left to it.
 */
export async function claimFilesToPurge(
  db: Db,
  storage: StorageName,
  now: Date,
  limit: number,
): Promise<Pick<FileRow, 'id' | 'storageKey'>[]> {
  const staleClaim = new Date(now.getTime() - claimMs)
  // Of a tier that this program does not know, nobody's bytes go before their 30 days are over.
  const ownerIsFree = sql`(${users.tier} = 'free' or (${users.tier} = 'premium' and ${users.premiumTrialEndsAt} <= ${now}))`
  const due = db
    .select({ id: files.id })
    .from(files)
    .innerJoin(users, eq(users.id, files.ownerId))
    .where(
      sql`${files.purgedAt} is null
        and ${files.storage} = ${storage}
        and ${files.expiresAt} <= ${now}
        and (${files.purgingAt} is null or ${files.purgingAt} <= ${staleClaim})
        and (${files.purgingAt} is not null or ${files.maxLifetimeAt} <= ${now} or ${ownerIsFree})`,
    )
    .limit(limit)
    .for('update', { of: files, skipLocked: true })
  return db
    .update(files)
    .set({ purgingAt: now })
    .where(inArray(files.id, due))
    .returning({ id: files.id, storageKey: files.storageKey })
}

/** Records that these files' bytes are gone. Rows that their owner deleted go with them. */
export async function markPurged(db: Db, ids: string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await db.transaction(async (tx) => {
    await tx.delete(files).where(and(inArray(files.id, ids), isNotNull(files.deletedAt)))
    await tx.update(files).set({ purgedAt: now }).where(inArray(files.id, ids))
  })
}
