import {
  and,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { files, sessions, users } from '../db/schema.ts'
import { shortGramsOf, shortGramsSql } from '../db/short-grams-sql.ts'
import type { Db } from '../deps.ts'
import { hasPremiumAt } from '../tiers/queries.ts'
import { searchPieces } from './search-pieces.ts'

/**
 * Selects the files that count in the figures of the whole server and of a user: all files that
 * their owners have not deleted, also those that are over or were taken down. Downloads are counted
 * for these files only.
 */
const isCounted = isNull(files.deletedAt)

/**
 * Counts all users, the users who have Premium at `now`, the files that count, and their downloads.
 * It reads both tables to their ends.
 */
export async function readStats(db: Db, now: Date) {
  const [people] = await db
    .select({
      totalUsers: count(),
      premiumUsers: sql`count(*) filter (where ${hasPremiumAt(now)})`.mapWith(Number),
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
  /** In how many browsers the user is signed in now. */
  sessionCount: number
}

/**
 * Every search first looks through this many of the newest users. They include enough matches for a
 * text that many users have. If there are too few matches, the search also asks an index of all
 * users.
 */
const newestUsers = 10_000

/**
 * The search looks at this many of the newest users to learn which parts of the search text are
 * frequent: its *pieces* of three or four letters (see `searchPieces`), and its *grams* of two
 * characters (see `shortGramsOf`).
 */
const sampledUsers = 1000
/**
 * A part is frequent if more than this many of the sampled users have it. The search looks up only
 * the other parts in the index. If every part is frequent, it looks up all of them.
 */
const mostWithPart = sampledUsers / 10
/** If at most this many of the sampled users have a piece, the search looks for no rarer part. */
const fewWithPart = sampledUsers / 200

/**
 * Lists at most `limit` of the newest users. With `search`, it lists only users whose mail address
 * or name contains this text, in upper or lower case.
 */
export async function listUsers(
  db: Db,
  { search, limit, now }: { search: string | undefined; limit: number; now: Date },
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
  const opened = db
    .select({ sessionCount: sql`count(*)`.mapWith(Number).as('session_count') })
    .from(sessions)
    .where(and(eq(sessions.userId, found.id), gt(sessions.expiresAt, now)))
    .as('opened')
  const rows = await db
    .select()
    .from(found)
    .crossJoinLateral(counted)
    .crossJoinLateral(opened)
    .orderBy(desc(found.createdAt), desc(found.id))
  return rows.map((row) => ({
    user: row.found,
    fileCount: row.counted.fileCount,
    storedBytes: row.counted.storedBytes,
    totalDownloads: row.counted.totalDownloads,
    sessionCount: row.opened.sessionCount,
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

/**
 * Looks for the text among all users, by an index. The check of the text itself is left out if the
 * index has looked up the whole text, because this check takes longer than the rest if many users
 * match.
 */
async function findByIndex(db: Db, text: string, limit: number): Promise<string[]> {
  const { parts, conditions } = await lookUpsOf(db, text)
  const isWhole = parts.includes(text)
  // `offset 0` makes Postgres search first and sort afterwards. Without it, Postgres may guess that
  // many users match, and then read all users from the newest on.
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from (
      select ${users.id}, ${users.createdAt} from ${users}
      where ${and(...conditions, isWhole ? undefined : holds(users.searchText, text))} offset 0
    ) as found
    order by created_at desc, id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Rare parts of a search text, and the SQL conditions by which an index finds them. */
interface LookUps {
  parts: readonly string[]
  conditions: readonly SQL[]
}

function byPieces(parts: readonly string[]): LookUps {
  return { parts, conditions: parts.map(hasPiece) }
}

function byGrams(parts: readonly string[]): LookUps {
  return { parts, conditions: [hasGrams(parts)] }
}

/**
 * Chooses what an index looks up for a text. There is an index of trigrams for the pieces, and one
 * of short grams for the grams. The grams are looked up if there are no pieces. They are also
 * looked up if more than `fewWithPart` of the sampled users have each piece, and fewer have a gram
 * with a sign, which is neither a letter nor a digit. For example, few names may end where this
 * text has a space.
 */
async function lookUpsOf(db: Db, text: string): Promise<LookUps> {
  const pieces = searchPieces(text)
  const grams = shortGramsOf(text)
  if (pieces.length === 0) return byGrams(grams)
  // The other grams are parts of words, so users with the pieces have them anyway.
  const withSigns = grams.filter((gram) => /[^\p{L}\p{N}]/u.test(gram))
  if (pieces.length + withSigns.length < 2) return byPieces(pieces)
  const counts = await countAmongNewest(db, [...pieces, ...withSigns])
  const rarest = (parts: string[]) => Math.min(...parts.map((part) => counts.get(part) ?? 0))
  const isEnough = rarest(pieces) <= Math.max(fewWithPart, rarest(withSigns))
  return isEnough ? byPieces(rareOf(pieces, counts)) : byGrams(rareOf(withSigns, counts))
}

/**
 * Returns the parts that few users have. If many users have each part, returns all of them. Nearly
 * all users have some parts, such as the end of a domain. For such a part, the index would read a
 * long list of users, and the other parts already exclude most of them.
 */
function rareOf(parts: string[], counts: ReadonlyMap<string, number>): string[] {
  const rare = parts.filter((part) => (counts.get(part) ?? 0) <= mostWithPart)
  return rare.length > 0 ? rare : parts
}

/** Counts for each part how many of the newest users have it. */
async function countAmongNewest(db: Db, parts: string[]): Promise<Map<string, number>> {
  const newest = db
    .select({ searchText: users.searchText })
    .from(users)
    .orderBy(...newestFirst)
    .limit(sampledUsers)
    .as('newest')
  const counts = parts.map(
    (part) => sql`count(*) filter (where ${holds(newest.searchText, part)})::int`,
  )
  const [sample] = await db
    .select({ counts: sql<number[]>`array[${sql.join(counts, sql`, `)}]` })
    .from(newest)
  return new Map(parts.map((part, at) => [part, sample?.counts[at] ?? 0]))
}

/**
 * Returns SQL that tells whether a column contains this text. Postgres checks it in the row itself,
 * without the index. For a long text, the index would compare all trigrams of the text.
 */
function holds(column: SQLWrapper, text: string): SQL {
  return sql`strpos(${column}, ${text}) > 0`
}

/**
 * Returns SQL that tells whether a user's data contains this piece. Postgres can use the index of
 * trigrams for it.
 */
function hasPiece(piece: string): SQL {
  return sql`${users.searchText} like ${`%${asPattern(piece)}%`}`
}

/**
 * Returns SQL that tells whether a user's data contains all of these grams. Postgres can use the
 * index of short grams for it.
 */
function hasGrams(grams: readonly string[]): SQL {
  return sql`${shortGramsSql(users.searchText)} @> ${sql.param(grams)}::text[]`
}

/** Escapes `%`, `_` and backslash, because they have a special meaning in a pattern of `like`. */
function asPattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}
