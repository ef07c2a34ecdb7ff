import { and, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { files, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { tierAt } from '../tiers/queries.ts'

/**
 * Counts all users, the users who have Premium at `now`, the files that their owners have not
 * deleted, and the downloads of files.
 */
export async function readStats(db: Db, now: Date) {
  const isPremium = sql`${tierAt(now)} = 'premium'`
  const [people] = await db
    .select({
      totalUsers: count(),
      premiumUsers: sql`count(*) filter (where ${isPremium})`.mapWith(Number),
    })
    .from(users)
  const [kept] = await db
    .select({
      totalFiles: sql`count(*) filter (where ${files.deletedAt} is null)`.mapWith(Number),
      totalDownloads: sql`coalesce(sum(${files.downloadCount}), 0)`.mapWith(Number),
    })
    .from(files)
  return {
    totalUsers: people?.totalUsers ?? 0,
    premiumUsers: people?.premiumUsers ?? 0,
    totalFiles: kept?.totalFiles ?? 0,
    totalDownloads: kept?.totalDownloads ?? 0,
  }
}

/**
 * A user, with the number of the user's files that are not deleted, and of the downloads of these
 * files.
 */
export interface CountedUser {
  user: typeof users.$inferSelect
  fileCount: number
  totalDownloads: number
}

/**
 * Lists the newest users, at most `limit`. With `search` it lists users whose mail address or name
 * contains this text, in upper or lower case.
 */
export async function listUsers(
  db: Db,
  { search, limit }: { search: string | undefined; limit: number },
): Promise<CountedUser[]> {
  const found = db
    .select()
    .from(users)
    .where(search ? isFound(search) : undefined)
    .orderBy(desc(users.createdAt), desc(users.id))
    .limit(limit)
    .as('found')
  const counted = db
    .select({
      fileCount: sql`count(*)`.mapWith(Number).as('file_count'),
      totalDownloads: sql`coalesce(sum(${files.downloadCount}), 0)`
        .mapWith(Number)
        .as('total_downloads'),
    })
    .from(files)
    .where(and(eq(files.ownerId, found.id), isNull(files.deletedAt)))
    .as('counted')
  const rows = await db
    .select()
    .from(found)
    .crossJoinLateral(counted)
    .orderBy(desc(found.createdAt), desc(found.id))
  return rows.map((row) => ({
    user: row.found,
    fileCount: row.counted.fileCount,
    totalDownloads: row.counted.totalDownloads,
  }))
}

/**
 * Tells, as SQL, whether a user's address or name contains this text. An index of trigrams makes
 * that fast. The characters `%` and `_` have no special meaning.
 */
function isFound(search: string): SQL {
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`${users.searchText} like ${pattern}`
}
