import { and, count, desc, eq, gt, ilike, isNull, sql } from 'drizzle-orm'
import { files, sessions, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { hasPremiumAt } from '../tiers/queries.ts'

/**
 * Files that count in the server's statistics and in each user's: all except those that their
 * owners have deleted. Expired files and files that were taken down are included.
 */
const isCounted = isNull(files.deletedAt)

/**
 * Counts all users, users who have Premium at `now`, counted files, and those files' downloads.
 * Scans the tables `users` and `files`.
 */
export async function readStats(db: Db, now: Date) {
  const [userCounts] = await db
    .select({
      totalUsers: count(),
      premiumUsers: sql`count(*) filter (where ${hasPremiumAt(now)})`.mapWith(Number),
    })
    .from(users)
  const [fileCounts] = await db
    .select({
      totalFiles: count(),
      totalDownloads: sql`coalesce(sum(${files.downloadCount}), 0)`.mapWith(Number),
    })
    .from(files)
    .where(isCounted)
  return {
    totalUsers: userCounts?.totalUsers ?? 0,
    premiumUsers: userCounts?.premiumUsers ?? 0,
    totalFiles: fileCounts?.totalFiles ?? 0,
    totalDownloads: fileCounts?.totalDownloads ?? 0,
  }
}

/**
 * Lists up to `limit` users, newest first, with the number of their counted files and of the files'
 * downloads. `storedBytes` is the size of the files that are still in storage. With `search`, lists
 * only users whose email address or name contains that text, ignoring case.
 */
export async function listUsers(
  db: Db,
  { search, limit, now }: { search: string | undefined; limit: number; now: Date },
) {
  // With at least three characters, this uses the trigram index on the column.
  const searchCondition = search ? ilike(users.searchText, `%${escapePattern(search)}%`) : undefined
  const matchingUsersQuery = db
    .select()
    .from(users)
    .where(searchCondition)
    .orderBy(desc(users.createdAt), desc(users.id))
    .limit(limit)
    .as('found')
  const fileStatsQuery = db
    .select({
      fileCount: sql`count(*)`.mapWith(Number).as('file_count'),
      storedBytes: sql`coalesce(sum(${files.size}) filter (where ${files.purgedAt} is null), 0)`
        .mapWith(Number)
        .as('stored_bytes'),
      totalDownloads: sql`coalesce(sum(${files.downloadCount}), 0)`
        .mapWith(Number)
        .as('total_downloads'),
    })
    .from(files)
    .where(and(eq(files.ownerId, matchingUsersQuery.id), isCounted))
    .as('counted')
  const sessionStatsQuery = db
    .select({ sessionCount: sql`count(*)`.mapWith(Number).as('session_count') })
    .from(sessions)
    .where(and(eq(sessions.userId, matchingUsersQuery.id), gt(sessions.expiresAt, now)))
    .as('opened')
  const { fileCount, storedBytes, totalDownloads } = fileStatsQuery
  const { sessionCount } = sessionStatsQuery
  return db
    .select({
      user: matchingUsersQuery._.selectedFields,
      fileCount,
      storedBytes,
      totalDownloads,
      sessionCount,
    })
    .from(matchingUsersQuery)
    .crossJoinLateral(fileStatsQuery)
    .crossJoinLateral(sessionStatsQuery)
    .orderBy(desc(matchingUsersQuery.createdAt), desc(matchingUsersQuery.id))
}

/** Escapes the `like` wildcards `%` and `_` as well as the backslash. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
