import {
  and,
  asc,
  count,
  countDistinct,
  desc,
  eq,
  gt,
  isNull,
  lt,
  type SQL,
  sql,
} from 'drizzle-orm'
import { z } from 'zod'
import { isStorableText } from '../../shared/contract/fields.ts'
import type { FileCounts } from '../../shared/contract/files.ts'
import type { FileOrder, SortKey } from '../../shared/rules/files/file-order.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { files, links } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { timestampText } from '../http/cursor.ts'
import type { Owner } from '../http/session.ts'
import { type FileRow, fileColumns, isLinkOfFile, statusOf } from './queries.ts'

/** The position of a page's last row: its sort value and id. */
export interface Position {
  value: string | number
  id: string
}

export interface ListPageOptions {
  limit: number
  order: FileOrder
  /** The page starts after this position. */
  after?: Position | undefined
  /** Text that the file's name must contain. */
  search?: string | undefined
  /** Only links that are active at this time and expire within the following 24 hours. */
  endingAfter?: Date | undefined
}

/**
 * For each order: the field to sort by, the schema for its value in a cursor, and its Postgres
 * type.
 */
export const sortFields = {
  date: { field: 'createdAt', shape: timestampText, type: sql`timestamptz` },
  name: { field: 'searchName', shape: z.string().refine(isStorableText), type: sql`text` },
  size: { field: 'size', shape: z.int().nonnegative(), type: sql`bigint` },
  downloads: { field: 'downloadCount', shape: z.int32().nonnegative(), type: sql`integer` },
} satisfies Record<SortKey, { field: keyof FileRow; shape: z.ZodType<string | number>; type: SQL }>

/** Lists a page of a user's files. Each order except `downloads` has an index. */
export function listFiles(
  db: Db,
  ownerId: string,
  { limit, order, after, search, endingAfter }: ListPageOptions,
): Promise<FileRow[]> {
  const { field, type } = sortFields[order.by]
  const column = files[field]
  const [direction, comparison] = order.descending ? [desc, sql`<`] : [asc, sql`>`]
  // Without this limit, Postgres may sort all of the owner's files.
  const link = db.select().from(links).where(isLinkOfFile).limit(1).as('links')
  return db
    .select(fileColumns)
    .from(files)
    .innerJoinLateral(link, sql`true`)
    .where(
      and(
        eq(files.ownerId, ownerId),
        isNull(files.deletedAt),
        endingAfter && expiresSoon(endingAfter),
        // `like` would treat `%` and `_` as wildcards.
        search ? sql`strpos(${files.searchName}, lower(${search}::text)) > 0` : undefined,
        after &&
          sql`(${column}, ${files.id}) ${comparison} (${after.value}::${type}, ${after.id}::uuid)`,
      ),
    )
    .orderBy(direction(column), direction(files.id))
    .limit(limit)
}

/**
 * Matches links that are active at `now` and expire within 24 hours, the same ones that Analytics
 * counts.
 */
function expiresSoon(now: Date): SQL | undefined {
  return and(
    gt(links.expiresAt, now),
    lt(links.expiresAt, new Date(now.getTime() + dayInMs)),
    gt(links.maxLifetimeAt, now),
    isNull(files.purgingAt),
  )
}

/**
 * Counts a user's files by their link status at `now`, and the links of these files. A link with a
 * file whose bytes are gone can count twice.
 */
export async function countFiles(db: Db, { id, tier }: Owner, now: Date): Promise<FileCounts> {
  const statusCounts = await db
    .select({
      status: statusOf(tier, now).as('status'),
      files: count(),
      links: countDistinct(links.id),
    })
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(and(eq(files.ownerId, id), isNull(files.deletedAt)))
    .groupBy(sql`status`)
  const countsOf = (key: 'files' | 'links') => ({
    active: 0,
    private: 0,
    deleted: 0,
    ...Object.fromEntries(statusCounts.map((row) => [row.status, row[key]])),
  })
  return { files: countsOf('files'), links: countsOf('links') }
}
