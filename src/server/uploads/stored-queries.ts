import { eq, lt, sql } from 'drizzle-orm'
import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { storedBytes, uploads } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** The bytes that count against the storage cap. */
export interface Stored {
  /** The bytes of all files that are not purged. */
  files: number
  /** The bytes that all open uploads have announced. */
  uploads: number
}

/**
 * Reads how many bytes of files the stores hold, and how many bytes open uploads have announced.
 * For files it reads the sums in `stored_bytes`, which is faster than reading every file. One
 * statement reads both. So an upload that becomes a file meanwhile is counted exactly once. Bytes
 * of ended uploads do not count, because they are removed within minutes.
 */
export async function sumStored(db: Db): Promise<Stored> {
  const files = db.select({ sum: sql`coalesce(sum(${storedBytes.bytes}), 0)` }).from(storedBytes)
  const open = db.select({ sum: sql`coalesce(sum(${uploads.size}), 0)` }).from(uploads)
  const [row] = await db
    .select({
      files: sql<number>`(${files})`.mapWith(Number),
      uploads: sql<number>`(${open})`.mapWith(Number),
    })
    .from(sql`(select 1)`)
  return row ?? { files: 0, uploads: 0 }
}

/** Returns how many bytes the files in this store have together. Purged files do not count. */
export async function sumFilesIn(db: Db, store: StorageName): Promise<number> {
  const [row] = await db
    .select({ sum: sql`coalesce(sum(${storedBytes.bytes}), 0)`.mapWith(Number) })
    .from(storedBytes)
    .where(eq(storedBytes.storage, store))
  return row?.sum ?? 0
}

/**
 * Returns how many bytes a new upload may have, so that all bytes together stay under the cap.
 * Uploads that were last active before `idleBefore` make way for it.
 */
export async function roomUnderCap(db: Db, mostStored: number, idleBefore: Date): Promise<number> {
  const [{ files, uploads }, idle] = await Promise.all([sumStored(db), sumIdle(db, idleBefore)])
  return Math.max(0, mostStored - files - uploads + idle)
}

/**
 * Returns the sum of the announced bytes of all uploads that were last active before this moment.
 */
export async function sumIdle(db: Db, before: Date): Promise<number> {
  const [row] = await db
    .select({ bytes: sql`coalesce(sum(${uploads.size}), 0)`.mapWith(Number) })
    .from(uploads)
    .where(lt(uploads.lastActivityAt, before))
  return row?.bytes ?? 0
}
