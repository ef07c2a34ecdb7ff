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
 * The newest users that every search looks through. A text that many users have is found among
 * them. For the others, an index is asked.
 */
const newestUsers = 10_000

/** The newest users that tell which pieces of a text are frequent. */
const sampledUsers = 1000
/** The index is not asked for a piece that more of the sampled users have, if others are rarer. */
const mostWithPiece = sampledUsers / 10

/**
 * Lists the newest users, at most `limit`. With `search` it lists users whose mail address or name
 * contains this text, in upper or lower case. A text of one or two letters is looked for among the
 * newest 10,000 users, and among the others only where a word begins with it.
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

const newestFirst = [desc(users.createdAt), desc(users.id)] as const

/**
 * Returns the ids of users whose address or name contains this text. The newest `limit` of them are
 * among these.
 */
async function findUsers(db: Db, search: string, limit: number): Promise<string[]> {
  const text = search.toLowerCase()
  const recent = await findNewestUsers(db, text, limit)
  return recent.length === limit ? recent : [...recent, ...(await findByIndex(db, text, limit))]
}

/** Looks for the text among the newest users. It reads them in the order of an index. */
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

/** Looks for the text among all users by an index of trigrams. */
async function findByIndex(db: Db, text: string, limit: number): Promise<string[]> {
  const { pieces, wordStart } = indexedSearch(text)
  const indexed = [
    ...(await rareOf(db, pieces)).map((piece) => contains(users.searchText, piece)),
    ...(wordStart === null ? [] : [or(...wordBeginnings(wordStart))]),
  ]
  if (indexed.length === 0) return []
  // Without `materialized`, Postgres could read all users from the newest on, because it guesses
  // wrongly how many have the text.
  const { rows } = await db.execute<{ id: string }>(sql`
    with found as materialized (
      select ${users.id}, ${users.createdAt} from ${users}
      where ${and(...indexed, holds(users.searchText, text))})
    select id from found order by created_at desc, id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}

/**
 * Returns the pieces that few users have; all pieces, if many users have each of them. For a piece
 * that nearly all users have, such as the end of a domain, the index would have to read a list of
 * them, and find nothing that the other pieces do not.
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

/** What stands before a word in an address or a name. */
const beforeWords = [' ', '.', '@', '-', '_', '+']

/** Tells, as SQL, for each place where a word can begin whether one begins with this text. */
function wordBeginnings(text: string): SQL[] {
  const first = sql`${users.searchText} like ${`${asPattern(text)}%`}`
  return [first, ...beforeWords.map((before) => contains(users.searchText, before + text))]
}

/**
 * Tells, as SQL, whether a column contains this text. Postgres reads the column for that, and asks
 * no index. An index would compare every trigram of a long text.
 */
function holds(column: SQLWrapper, text: string): SQL {
  return sql`strpos(${column}, ${text}) > 0`
}

/** Tells the same, so that Postgres can ask an index of trigrams. */
function contains(column: SQLWrapper, text: string): SQL {
  return sql`${column} like ${`%${asPattern(text)}%`}`
}

/** In a pattern of `like`, the characters `%`, `_` and backslash would have a meaning. */
function asPattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
