import { and, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { FileCounts } from '../../shared/contract/files.ts'
import { files } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import type { SessionUser } from '../http/session.ts'
import { type FileRow, statusOf } from './queries.ts'

/** The place where a page of files ends: that of its last row. */
export interface Position {
  createdAt: Date
  id: string
}

/** The page of a list to read. */
export interface WantedPage {
  limit: number
  /** Only files after this place, if it is given. */
  after?: Position | undefined
  /** Only files whose name holds this text, if it is given and not empty. */
  search?: string | undefined
}

/**
 * Makes the function that lists a user's files, newest first. Its queries are prepared, because
 * browsers list files after every upload.
 */
export function prepareListFiles(db: Db) {
  const { placeholder } = sql
  const place = sql`(${placeholder('createdAt')}::timestamptz, ${placeholder('id')}::uuid)`
  const isAfter = sql`(${files.createdAt}, ${files.id}) < ${place}`
  // No pattern, so that a `%` and a `_` stand for themselves.
  const isFound = sql`strpos(${files.searchName}, lower(${placeholder('search')}::text)) > 0`
  const newestFirst = [desc(files.createdAt), desc(files.id)]
  const listed = (...conditions: SQL[]) =>
    and(eq(files.ownerId, placeholder('ownerId')), isNull(files.deletedAt), ...conditions)

  const list = (name: string, ...conditions: SQL[]) =>
    db
      .select()
      .from(files)
      .where(listed(...conditions))
      .orderBy(...newestFirst)
      .limit(placeholder('limit'))
      .prepare(name)
  /** The inner query reads nothing but the index, which holds the names. */
  const search = (name: string, ...conditions: SQL[]) => {
    const found = db
      .select({ id: files.id })
      .from(files)
      .where(listed(isFound, ...conditions))
      .orderBy(...newestFirst)
      .limit(placeholder('limit'))
    return (
      db
        .select()
        .from(files)
        // As an array: for a join with so few rows, Postgres may read the whole table.
        .where(sql`${files.id} = any(array(${found.getSQL()}))`)
        .orderBy(...newestFirst)
        .prepare(name)
    )
  }
  const all = { first: list('list_files'), next: list('list_files_after', isAfter) }
  const found = { first: search('find_files'), next: search('find_files_after', isAfter) }

  return (ownerId: string, { limit, after, search }: WantedPage): Promise<FileRow[]> => {
    const { first, next } = search ? found : all
    return after
      ? next.execute({ ownerId, limit, search, ...after })
      : first.execute({ ownerId, limit, search })
  }
}

/** Counts a user's files by their link status at `now`. */
export async function countFiles(
  db: Db,
  { id, tier }: Pick<SessionUser, 'id' | 'tier'>,
  now: Date,
): Promise<FileCounts> {
  const counted = await db
    .select({ status: statusOf(tier, now).as('status'), count: count() })
    .from(files)
    .where(and(eq(files.ownerId, id), isNull(files.deletedAt)))
    .groupBy(sql`status`)
  return {
    active: 0,
    private: 0,
    deleted: 0,
    ...Object.fromEntries(counted.map(({ status, count }) => [status, count])),
  }
}
