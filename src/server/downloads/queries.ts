import DataLoader from 'dataloader'
import { eq, sql } from 'drizzle-orm'
import { fileDownloads, files } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/**
 * Finds the file behind a short code, alive or over: one indexed query, prepared once, since it is
 * what most requests to this server are. Requests that arrive in the same turn of the event loop
 * share it, because under load the way to the database and back costs more than everything else
 * that a page takes. Nothing is kept: each answer is of after its request.
 */
export function prepareFindLink(db: Db) {
  const query = db
    .select({
      id: files.id,
      storage: files.storage,
      storageKey: files.storageKey,
      originalName: files.originalName,
      mimeType: files.mimeType,
      size: files.size,
      shortCode: files.shortCode,
      createdAt: files.createdAt,
      expiresAt: files.expiresAt,
      maxLifetimeAt: files.maxLifetimeAt,
      sha256: files.sha256,
      purgedAt: files.purgingAt,
    })
    .from(files)
    .where(sql`${files.shortCode} = any(${sql.placeholder('codes')})`)
    .prepare('find_links')
  const findAll = async (codes: readonly string[]) => {
    const links = await query.execute({ codes: [...new Set(codes)] })
    const byCode = new Map(links.map((link) => [link.shortCode, link]))
    return codes.map((code) => byCode.get(code))
  }
  const loader = new DataLoader(findAll, { cache: false, batchScheduleFn: setImmediate })
  return (code: string) => loader.load(code)
}

export type FindLink = ReturnType<typeof prepareFindLink>
export type Link = NonNullable<Awaited<ReturnType<FindLink>>>

/** Counts one download of a file, in all and for its day (UTC), in one statement. */
export async function countDownload(db: Db, fileId: string, now: Date): Promise<void> {
  const day = now.toISOString().slice(0, 10)
  const counted = db.$with('counted').as(
    db
      .update(files)
      .set({ downloadCount: sql`${files.downloadCount} + 1` })
      .where(eq(files.id, fileId))
      .returning({ id: files.id }),
  )
  await db
    .with(counted)
    .insert(fileDownloads)
    .select(sql`select id, ${day}::date, 1 from counted`)
    .onConflictDoUpdate({
      target: [fileDownloads.fileId, fileDownloads.day],
      set: { count: sql`${fileDownloads.count} + 1` },
    })
}
