import {
  and,
  count,
  desc,
  eq,
  inArray,
  isNull,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { files, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { tierAt } from '../tiers/queries.ts'
import { indexedSearch } from './search-pieces.ts'

/**
 * Selects the files that count in the figures of the whole server and of a user: all files that
 * their owners have not deleted. Downloads are counted for these files only.
 */
const isCounted = isNull(files.deletedAt)

/**
 * Counts all users, the users who have Premium at `now`, the files that count, and their downloads.
 * It reads both tables to their ends.
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
      totalFiles: count(),
      totalDownloads: sql`coalesce(sum(${files.downloadCount}), 0)`.mapWith(Number),
    })
    .from(files)
    .where(isCounted)
  return {
    totalUsers: people?.totalUsers ?? 0,
    premiumUsers: people?.premiumUsers ?? 0,
    totalFiles: kept?.totalFiles ?? 0,
    totalDownloads: kept?.totalDownloads ?? 0,
  }
}

/** A user, with the number of the user's files that count, and of their downloads. */
export interface CountedUser {
  user: typeof users.$inferSelect
  fileCount: number
  /** The size of the files whose bytes are stored, in bytes. */
  storedBytes: number
  totalDownloads: number
}

/**
 * Every search first looks through this many of the newest users. They include enough matches for a
 * text that many users have. If there are too few matches, the search also asks an index of all
 * users.
 */
const newestUsers = 10_000

/**
 * The search looks at this many of the newest users to learn which pieces of the search text are
 * frequent. A *piece* is a part of three or four letters (see `indexedSearch`).
 */
const sampledUsers = 1000
/**
 * A piece is frequent if more than this many of the sampled users have it. The search looks up only
 * the other pieces in the index. If every piece is frequent, it looks up all of them.
 */
const mostWithPiece = sampledUsers / 10

/**
 * Lists at most `limit` of the newest users. With `search`, it lists only users whose mail address
 * or name contains this text, in upper or lower case. A text of one or two letters is found
 * anywhere in the data of the newest 10,000 users. For all other users, it is found only at the
 * beginning of a word.
 */
export async function listUsers(
  db: Db,
  { search, limit }: { search: string | undefined; limit: number },
): Promise<CountedUser[]> {
  const which = search ? inArray(users.id, await findUsers(db, search, limit)) : undefined
  const found = db
    .select()
    .from(users)
    .where(which)
    .orderBy(...newestFirst)
    .limit(limit)
    .as('found')
  const counted = db
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
    .where(and(eq(files.ownerId, found.id), isCounted))
    .as('counted')
  const rows = await db
    .select()
    .from(found)
    .crossJoinLateral(counted)
    .orderBy(desc(found.createdAt), desc(found.id))
  return rows.map((row) => ({
    user: row.found,
    fileCount: row.counted.fileCount,
    storedBytes: row.counted.storedBytes,
    totalDownloads: row.counted.totalDownloads,
  }))
}

const newestFirst = [desc(users.createdAt), desc(users.id)] as const

/**
 * Returns the ids of users whose address or name contains this text. The result includes the newest
 * `limit` of these users, and may have more.
 */
async function findUsers(db: Db, search: string, limit: number): Promise<string[]> {
  const text = search.toLowerCase()
  const recent = await findNewestUsers(db, text, limit)
  return recent.length === limit ? recent : [...recent, ...(await findByIndex(db, text, limit))]
}

/**
 * Looks for the text among the newest users. An index sorts the users by age, so Postgres reads
 * only these users.
 */
async function findNewestUsers(db: Db, text: string, limit: number): Promise<string[]> {
  const newest = db
    .select({ id: users.id, createdAt: users.createdAt, searchText: users.searchText })
    .from(users)
    .orderBy(...newestFirst)
    .limit(newestUsers)
    .as('newest')
  const found = await db
    .select({ id: newest.id })
    .from(newest)
    .where(holds(newest.searchText, text))
    .orderBy(desc(newest.createdAt), desc(newest.id))
    .limit(limit)
  return found.map(({ id }) => id)
}

/** Looks for the text among all users. It uses an index of trigrams. */
async function findByIndex(db: Db, text: string, limit: number): Promise<string[]> {
  const { pieces, wordStart } = indexedSearch(text)
  const indexed = [
    ...(await rareOf(db, pieces)).map((piece) => contains(users.searchText, piece)),
    ...(wordStart === null ? [] : [or(...wordBeginnings(wordStart))]),
  ]
  if (indexed.length === 0) return []
  // `materialized` makes Postgres search first and sort afterwards. Without it, Postgres may guess
  // that many users match, and then read all users from the newest on.
  const { rows } = await db.execute<{ id: string }>(sql`
    with found as materialized (
      select ${users.id}, ${users.createdAt} from ${users}
      where ${and(...indexed, holds(users.searchText, text))})
    select id from found order by created_at desc, id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}

/**
 * Returns the pieces that few users have. If many users have each piece, returns all of them.
 * Nearly all users have some pieces, such as the end of a domain. For such a piece, the index would
 * read a long list of users, and the other pieces already exclude most of them.
 */
async function rareOf(db: Db, pieces: readonly string[]): Promise<readonly string[]> {
  if (pieces.length < 2) return pieces
  const newest = db
    .select({ searchText: users.searchText })
    .from(users)
    .orderBy(...newestFirst)
    .limit(sampledUsers)
    .as('newest')
  const counts = pieces.map(
    (piece) => sql`count(*) filter (where ${holds(newest.searchText, piece)})::int`,
  )
  const [sample] = await db
    .select({ counts: sql<number[]>`array[${sql.join(counts, sql`, `)}]` })
    .from(newest)
  const rare = pieces.filter((_, at) => (sample?.counts[at] ?? 0) <= mostWithPiece)
  return rare.length > 0 ? rare : pieces
}

/** The characters after which a new word begins in an address or a name. */
const beforeWords = [' ', '.', '@', '-', '_', '+']

/**
 * Returns SQL conditions, one for each place where a word can begin. A condition is true if a word
 * begins with this text there.
 */
function wordBeginnings(text: string): SQL[] {
  const first = sql`${users.searchText} like ${`${asPattern(text)}%`}`
  return [first, ...beforeWords.map((before) => contains(users.searchText, before + text))]
}

/**
 * Returns SQL that tells whether a column contains this text. Postgres checks it in the row itself,
 * without the index. For a long text, the index would compare all trigrams of the text.
 */
function holds(column: SQLWrapper, text: string): SQL {
  return sql`strpos(${column}, ${text}) > 0`
}

/**
 * Returns SQL that tells whether a column contains this text. Postgres can use the index of
 * trigrams for it.
 */
function contains(column: SQLWrapper, text: string): SQL {
  return sql`${column} like ${`%${asPattern(text)}%`}`
}

/** Escapes `%`, `_` and backslash, because they have a special meaning in a pattern of `like`. */
function asPattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
