import { and, asc, count, desc, eq, gt, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { FileCounts } from '../../shared/contract/files.ts'
import {
  type FileOrder,
  type FileOrderText,
  formatOrder,
  type SortKey,
} from '../../shared/rules/files/file-order.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { files } from '../db/schema.ts'
import { avoidTableScans } from '../db/transaction.ts'
import type { Db } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import { type FileRow, statusOf } from './queries.ts'

/**
 * Where a page of the list ends: the value by which its last row is sorted, and the id of that row.
 */
export interface Position {
  value: string | number
  id: string
}

/** Which page of the list to read. */
export interface WantedPage {
  limit: number
  order: FileOrder
  /** If it is given, only files that come after this position are read. */
  after?: Position | undefined
  /** If it is given and not empty, only files with this text in their name are read. */
  search?: string | undefined
  /** If it is given, only files are read whose links are active then and end within 24 hours. */
  endingAfter?: Date | undefined
}

/** The column by which each order sorts, and its type in Postgres. */
const sorted = {
  date: { column: files.createdAt, type: sql`timestamptz` },
  name: { column: files.searchName, type: sql`text` },
  size: { column: files.size, type: sql`bigint` },
  downloads: { column: files.downloadCount, type: sql`integer` },
} satisfies Record<SortKey, { column: object; type: SQL }>

/**
 * Makes the function that lists a user's files. Browsers list files after every upload, so its
 * queries are prepared. The queries of an order are prepared when the order is first asked for.
 * Only those of the order by downloads are prepared at each call, in its own transaction.
 */
export function prepareListFiles(db: Db) {
  const prepared = new Map<`${Which} ${FileOrderText}`, OrderedList>()
  return (ownerId: string, { order, ...page }: WantedPage): Promise<FileRow[]> => {
    if (order.by === 'downloads') return listByDownloads(db, ownerId, { order, ...page })
    const which = page.endingAfter ? 'ending' : 'all'
    const name = `${which} ${formatOrder(order)}` as const
    const list = prepared.get(name) ?? prepareOrder(db, order, which)
    prepared.set(name, list)
    return list(ownerId, page)
  }
}

/**
 * Lists a user's files by their number of downloads. There is no index of that number, because each
 * download would then have to write new entries into all indexes of the table. So all files of the
 * owner are read and sorted, and only the first ones are returned. The query must use the owner's
 * index. If an owner has a large share of all files, Postgres would otherwise read the whole table.
 */
function listByDownloads(
  db: Db,
  ownerId: string,
  { order, ...page }: WantedPage,
): Promise<FileRow[]> {
  return db.transaction(async (tx) => {
    await avoidTableScans(tx)
    return prepareOrder(tx, order, page.endingAfter ? 'ending' : 'all')(ownerId, page)
  })
}

type OrderedList = (ownerId: string, page: Omit<WantedPage, 'order'>) => Promise<FileRow[]>

/** Which files a list has: all, or those whose links end soon. */
type Which = 'all' | 'ending'

function prepareOrder(db: Db, order: FileOrder, which: Which): OrderedList {
  const { placeholder } = sql
  const { column, type } = sorted[order.by]
  const place = sql`(${placeholder('value')}::${type}, ${placeholder('id')}::uuid)`
  const beyond = order.descending ? sql`<` : sql`>`
  const isAfter = sql`(${column}, ${files.id}) ${beyond} ${place}`
  // This is not a search with `like`, because there `%` and `_` would stand for other characters.
  const isFound = sql`strpos(${files.searchName}, lower(${placeholder('search')}::text)) > 0`
  const direction = order.descending ? desc : asc
  const inOrder = [direction(column), direction(files.id)]
  // The analytics count the same links.
  const isEnding = and(
    gt(files.expiresAt, placeholder('now')),
    lt(files.expiresAt, placeholder('soon')),
    gt(files.maxLifetimeAt, placeholder('now')),
    isNull(files.purgingAt),
  )
  const listed = (...conditions: SQL[]) =>
    and(
      eq(files.ownerId, placeholder('ownerId')),
      isNull(files.deletedAt),
      which === 'ending' ? isEnding : undefined,
      ...conditions,
    )
  const named = (name: string) => `${name}_${which}_by_${formatOrder(order)}`

  const list = (name: string, ...conditions: SQL[]) =>
    db
      .select()
      .from(files)
      .where(listed(...conditions))
      .orderBy(...inOrder)
      .limit(placeholder('limit'))
      .prepare(named(name))
  /** The inner query finds the files in the index alone, which contains the names. */
  const search = (name: string, ...conditions: SQL[]) => {
    const found = db
      .select({ id: files.id })
      .from(files)
      .where(listed(isFound, ...conditions))
      .orderBy(...inOrder)
      .limit(placeholder('limit'))
    return (
      db
        .select()
        .from(files)
        // An array makes Postgres look up each id in the index. For a join with these ids, Postgres
        // may read the whole table, because it expects more ids than there are.
        .where(sql`${files.id} = any(array(${found.getSQL()}))`)
        .orderBy(...inOrder)
        .prepare(named(name))
    )
  }
  const all = { first: list('list_files'), next: list('list_files_after', isAfter) }
  const found = { first: search('find_files'), next: search('find_files_after', isAfter) }

  return (ownerId, { limit, after, search, endingAfter: now }) => {
    const { first, next } = search ? found : all
    const soon = now && new Date(now.getTime() + dayInMs)
    const values = { ownerId, limit, search, now, soon }
    return after ? next.execute({ ...values, ...after }) : first.execute(values)
  }
}

/** Counts a user's files by their link status at `now`. */
export async function countFiles(db: Db, { id, tier }: Owner, now: Date): Promise<FileCounts> {
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
