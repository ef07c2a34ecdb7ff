import { and, asc, desc, eq, gt, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { ownLinkFile } from '../../shared/contract/links.ts'
import type { FileOrder, SortKey } from '../../shared/rules/files/file-order.ts'
import { isStorableText } from '../../shared/rules/format/text.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { files, linkEmails, links, uploads } from '../db/schema.ts'
import { isOneOf } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import { timestampText } from '../http/cursor.ts'
import type { Storage } from '../storage/storage.ts'
import type { Stores } from '../storage/stores.ts'
import type { LinkRow } from './queries.ts'

/** A file of a link, or an upload that will become one. */
export type LinkEntry = z.input<typeof ownLinkFile> & { linkId: string | null; position: number }

/** The columns that lists and pages of links need. */
const listedColumns = {
  id: links.id,
  shortCode: links.shortCode,
  title: links.title,
  message: links.message,
  passwordHash: links.passwordHash,
  maxDownloads: links.maxDownloads,
  downloadCount: links.downloadCount,
  createdAt: links.createdAt,
  expiresAt: links.expiresAt,
  maxLifetimeAt: links.maxLifetimeAt,
  requestId: links.requestId,
  senderName: links.senderName,
  shared: links.shared,
  fileCount: links.fileCount,
  pendingCount: links.pendingCount,
}

type ListedLink = Pick<LinkRow, keyof typeof listedColumns>

/** A link with its files, in the order in which its owner chose them. */
export type LinkView = ListedLink & {
  state: 'uploading' | 'ready'
  hasPassword: boolean
  totalSize: number
  /** The addresses that the link couldn't be emailed to. */
  undelivered: string[]
  files: LinkEntry[]
}

export interface LinkPageOptions {
  limit: number
  order: FileOrder
  /** The page starts after this position: the last link's sort value and id. */
  after?: { value: string | number; id: string } | undefined
  /** Text that the title or a file's name must contain. */
  search?: string | undefined
  /** Only links that this request received. */
  requestId?: string | undefined
  /** Only links that are active at this time and expire within the following 24 hours. */
  endingAfter?: Date | undefined
}

/** For each order: the schema for its value in a cursor, and its Postgres type. */
export const linkSortFields = {
  date: { shape: timestampText, type: sql`timestamptz` },
  name: { shape: z.string().refine(isStorableText), type: sql`text` },
  size: { shape: z.int().nonnegative(), type: sql`bigint` },
  downloads: { shape: z.int32().nonnegative(), type: sql`integer` },
} satisfies Record<SortKey, { shape: z.ZodType<string | number>; type: SQL }>

/**
 * Lists a page of a user's links, each with its sort value. The order by downloads sorts all of the
 * user's links; the others have an index.
 */
export async function listLinks(
  db: Db,
  ownerId: string,
  { limit, order, after, search, requestId, endingAfter }: LinkPageOptions,
): Promise<{ link: ListedLink; sortValue: string | number | Date }[]> {
  const columns = {
    date: sql`${links.createdAt}`.mapWith(links.createdAt),
    name: sql<string>`${links.sortName}`,
    size: sql`${links.totalSize}`.mapWith(Number),
    downloads: sql`${links.downloadCount}`.mapWith(Number),
  }
  const column = columns[order.by]
  const { type } = linkSortFields[order.by]
  const [direction, comparison] = order.descending ? [desc, sql`<`] : [asc, sql`>`]
  return db
    .select({ link: listedColumns, sortValue: column })
    .from(links)
    .where(
      and(
        eq(links.ownerId, ownerId),
        endingAfter && expiresSoon(endingAfter),
        search ? containsText(search) : undefined,
        requestId ? eq(links.requestId, requestId) : undefined,
        after &&
          sql`(${column}, ${links.id}) ${comparison} (${after.value}::${type}, ${after.id}::uuid)`,
      ),
    )
    .orderBy(direction(column), direction(links.id))
    .limit(limit)
}

/** Returns how many of the first links have at most `maxFiles` files together, at least one. */
export function countLinksOnPage(
  rows: readonly { link: { fileCount: number } }[],
  maxFiles: number,
): number {
  let fileCount = 0
  const end = rows.findIndex(({ link }) => {
    fileCount += link.fileCount
    return fileCount > maxFiles
  })
  return end === -1 ? rows.length : Math.max(1, end)
}

/** Matches links that are active at `now` and expire within 24 hours. */
function expiresSoon(now: Date): SQL | undefined {
  return and(
    gt(links.expiresAt, now),
    lt(links.expiresAt, new Date(now.getTime() + dayInMs)),
    sql`exists (select 1 from ${files}
      where ${files.linkId} = ${links.id} and ${files.purgingAt} is null)`,
  )
}

/**
 * Matches links whose title or a file's name contains the text. The name of a single file is in
 * `sortName`. `like` would treat `%` and `_` as wildcards.
 */
function containsText(search: string): SQL {
  const text = sql`lower(${search}::text)`
  return sql`(strpos(${links.sortName}, ${text}) > 0
    or (${links.title} is not null or ${links.fileCount} > 1) and (
      exists (select 1 from ${files}
        where ${files.linkId} = ${links.id} and strpos(${files.searchName}, ${text}) > 0)
      or exists (select 1 from ${uploads}
        where ${uploads.linkId} = ${links.id}
          and strpos(lower(${uploads.originalName}), ${text}) > 0)))`
}

/** Finds one of a user's links. */
export async function findOwnLink(
  { db, stores }: { db: Db; stores: Stores },
  ownerId: string,
  shortCode: string,
): Promise<LinkView | undefined> {
  const [link] = await db
    .select(listedColumns)
    .from(links)
    .where(and(eq(links.shortCode, shortCode), eq(links.ownerId, ownerId)))
  if (!link) return undefined
  const [view] = await addEntries({ db, stores }, [link])
  return view
}

/** Adds their files to links, and the addresses that they couldn't be emailed to. */
export async function addEntries(
  { db, stores }: { db: Db; stores: Stores },
  rows: readonly ListedLink[],
): Promise<LinkView[]> {
  const ids = rows.map(({ id }) => id)
  const fileRows = await db
    .select({
      id: files.id,
      linkId: files.linkId,
      position: files.position,
      originalName: files.originalName,
      mimeType: files.mimeType,
      size: files.size,
      sha256: files.sha256,
      downloadCount: files.downloadCount,
      purgingAt: files.purgingAt,
      purgedAt: files.purgedAt,
      purgeDueAt: files.purgeDueAt,
      takenDownAt: files.takenDownAt,
      takedownReason: files.takedownReason,
    })
    .from(files)
    .where(isOneOf(files.linkId, ids))
  const pendingIds = rows.filter(({ pendingCount }) => pendingCount > 0).map(({ id }) => id)
  const uploadRows =
    pendingIds.length === 0
      ? []
      : await db.select().from(uploads).where(isOneOf(uploads.linkId, pendingIds))
  const failedEmails = await db
    .select({ linkId: linkEmails.linkId, email: linkEmails.email })
    .from(linkEmails)
    .where(and(isOneOf(linkEmails.linkId, ids), isNotNull(linkEmails.failedAt)))
    .orderBy(linkEmails.email)
  const entries = [...fileRows.map(toEntry), ...(await toUploadEntries(stores, uploadRows))].sort(
    (a, b) => a.position - b.position,
  )
  const entriesByLink = Map.groupBy(entries, ({ linkId }) => linkId)
  return rows.map((link) => {
    const linkFiles = entriesByLink.get(link.id) ?? []
    return {
      ...link,
      state: linkFiles.some(({ state }) => state === 'uploading') ? 'uploading' : 'ready',
      hasPassword: link.passwordHash !== null,
      totalSize: linkFiles.reduce((sum, { size }) => sum + size, 0),
      undelivered: [
        ...new Set(failedEmails.flatMap(({ linkId, email }) => (linkId === link.id ? email : []))),
      ],
      files: linkFiles,
    }
  })
}

/** Returns a file as an entry of its link. */
export function toEntry<File extends { originalName: string; size: number }>(file: File) {
  return { ...file, name: file.originalName, state: 'ready' as const, receivedBytes: file.size }
}

/** Lists a link's uploads as entries. */
export async function listUploadEntries(
  { db, stores }: { db: Db; stores: Stores },
  linkId: string,
): Promise<LinkEntry[]> {
  return toUploadEntries(stores, await db.select().from(uploads).where(eq(uploads.linkId, linkId)))
}

/** Bounds the requests to storage for one page. Browsers send a few files at a time. */
const maxProgressReads = 16

/** Reads how much of the most recently active uploads has arrived. */
async function toUploadEntries(
  stores: Stores,
  uploadRows: readonly (typeof uploads.$inferSelect)[],
): Promise<LinkEntry[]> {
  const begunUploads = uploadRows
    .filter(({ createdAt, lastActivityAt }) => lastActivityAt > createdAt)
    .sort((a, b) => b.lastActivityAt.getTime() - a.lastActivityAt.getTime())
    .slice(0, maxProgressReads)
  const received = new Map(
    await Promise.all(
      begunUploads.map(
        async ({ id, storage, storageKey }) =>
          [id, await readReceivedBytes(stores.get(storage), storageKey)] as const,
      ),
    ),
  )
  return uploadRows.map((upload) => ({
    ...upload,
    name: upload.originalName,
    sha256: null,
    downloadCount: 0,
    purgingAt: null,
    purgedAt: null,
    purgeDueAt: null,
    takenDownAt: null,
    takedownReason: null,
    state: 'uploading',
    receivedBytes: received.get(upload.id) ?? 0,
  }))
}

/** Returns 0 if storage can't be reached, because the progress is only shown. */
async function readReceivedBytes(storage: Storage, key: string): Promise<number> {
  try {
    const parts = await storage.listParts(key)
    if (parts.length > 0) return parts.reduce((sum, { size }) => sum + size, 0)
    return (await storage.storedSize(key)) ?? 0
  } catch {
    return 0
  }
}
