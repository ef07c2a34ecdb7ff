import { eq, sql } from 'drizzle-orm'
import { fileDownloads, files } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/**
 * Finds the file behind a short code unless it is over at `now`: one indexed query, prepared once,
 * since it is what most requests to this server are.
 */
export const prepareFindLink = (db: Db) => {
  const query = db
    .select({
      id: files.id,
      storageKey: files.storageKey,
      originalName: files.originalName,
      mimeType: files.mimeType,
      size: files.size,
      shortCode: files.shortCode,
      createdAt: files.createdAt,
      expiresAt: files.expiresAt,
      maxLifetimeAt: files.maxLifetimeAt,
      purgedAt: files.purgingAt,
    })
    .from(files)
    .where(eq(files.shortCode, sql.placeholder('code')))
    .prepare('find_link')
  return async (code: string) => {
    const [link] = await query.execute({ code })
    return link
  }
}

export type FindLink = ReturnType<typeof prepareFindLink>
export type Link = NonNullable<Awaited<ReturnType<FindLink>>>

/** Counts one download of a file, in all and for its day (UTC), in one statement. */
export const countDownload = async (db: Db, fileId: string, now: Date): Promise<void> => {
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
