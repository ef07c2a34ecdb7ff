import { and, count, eq, inArray, notExists, type SQL, sql } from 'drizzle-orm'
import { customAlphabet } from 'nanoid'
import { isUsedUp } from '../../shared/rules/links/link-status.ts'
import { shortCodeAlphabet, shortCodeLength } from '../../shared/rules/links/short-code.ts'
import { downloadStarts, files, links, shortCodes, uploads } from '../db/schema.ts'
import { inBatches, isOneOf } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import { AppError } from '../errors.ts'
import { updatePurgeTimes } from '../files/purge-queries.ts'

/*
 * Transactions lock rows in this order, to prevent deadlocks: the owner, requests, links, uploads,
 * files, each sorted by id.
 */

export type LinkRow = typeof links.$inferSelect

/** Generates a short code. Issuing it fails if it was ever issued before. */
export const newShortCode = customAlphabet(shortCodeAlphabet, shortCodeLength)

/**
 * Inserts a link with a new short code.
 * @throws if the code was issued before. The transaction must then be rolled back.
 */
export async function insertLink(
  tx: Db,
  newLink: Omit<typeof links.$inferInsert, 'shortCode'>,
): Promise<LinkRow> {
  const shortCode = newShortCode()
  await tx.insert(shortCodes).values({ code: shortCode, issuedAt: newLink.createdAt })
  const [link] = await tx
    .insert(links)
    .values({ ...newLink, shortCode })
    .returning()
  if (!link) throw new Error('Expected the inserted link.')
  return link
}

/** Locks the links of these files until the transaction ends. */
export async function lockLinksOfFiles(tx: Db, condition: SQL | undefined): Promise<void> {
  const linkIds = tx
    .select({ id: links.id })
    .from(files)
    .innerJoin(links, eq(links.id, files.linkId))
    .where(condition)
  await tx
    .select({ id: links.id })
    .from(links)
    .where(inArray(links.id, linkIds))
    .orderBy(links.id)
    .for('update')
}

/** A link with what names it (`linkName`). `purgingAt` is as in `lockLinkAndFiles`. */
export type LinkSummary = Pick<LinkRow, 'id' | 'title' | 'expiresAt'> & {
  firstFileName: string
  fileCount: number
  purgingAt: Date | null
}

/** Selects links with at least one file. */
export function selectLinkSummaries(db: Db) {
  const linkFiles = db
    .select({
      fileCount: sql`count(*)`.mapWith(Number).as('file_count'),
      firstFileName:
        sql<string>`(array_agg(${files.originalName} order by ${files.position}))[1]`.as(
          'first_file_name',
        ),
      purgingAt:
        sql`case when bool_and(${files.purgingAt} is not null) then max(${files.purgingAt}) end`
          .mapWith(files.purgingAt)
          .as('purging_at'),
    })
    .from(files)
    .where(eq(files.linkId, links.id))
    .having(sql`count(*) > 0`)
    .as('link_files')
  return db
    .select({
      id: links.id,
      title: links.title,
      expiresAt: links.expiresAt,
      fileCount: linkFiles.fileCount,
      firstFileName: linkFiles.firstFileName,
      purgingAt: linkFiles.purgingAt,
    })
    .from(links)
    .innerJoinLateral(linkFiles, sql`true`)
}

/** SQL: true for the link of this file. */
export function hasFile(db: Db, fileId: string): SQL {
  return inArray(links.id, db.select({ id: files.linkId }).from(files).where(eq(files.id, fileId)))
}

/** SQL: true for the link with this short code. */
export function hasCode(shortCode: string): SQL {
  return eq(links.shortCode, shortCode)
}

/** Locks one of an owner's links until the transaction ends. */
export async function lockLink(
  tx: Db,
  ownerId: string,
  condition: SQL,
): Promise<LinkRow | undefined> {
  const [link] = await tx
    .select()
    .from(links)
    .where(and(eq(links.ownerId, ownerId), condition))
    .for('update')
  return link
}

/**
 * Locks one of an owner's links and its files until the transaction ends. `purgingAt` is null if
 * the link has a file whose bytes aren't being removed. Returns undefined for a link without files.
 */
export async function lockLinkAndFiles(
  tx: Db,
  ownerId: string,
  condition: SQL,
): Promise<(LinkRow & { purgingAt: Date | null }) | undefined> {
  const link = await lockLink(tx, ownerId, condition)
  if (!link) return undefined
  const lockedFiles = await tx
    .select({ purgingAt: files.purgingAt })
    .from(files)
    .where(eq(files.linkId, link.id))
    .orderBy(files.id)
    .for('update')
  const [firstFile] = lockedFiles
  if (!firstFile) return undefined
  const isStored = lockedFiles.some(({ purgingAt }) => purgingAt === null)
  return { ...link, purgingAt: isStored ? null : firstFile.purgingAt }
}

/**
 * Gives a link, locked with its owner, a new short code and expiry. Returns the link.
 * @throws if the code was issued before.
 */
export async function issueNewCode(
  tx: Db,
  link: LinkRow,
  expiresAt: Date,
  now: Date,
): Promise<LinkRow> {
  const shortCode = newShortCode()
  await tx.insert(shortCodes).values({ code: shortCode, issuedAt: now })
  // Files still on their way must not change the owner's new choice.
  const changes = { shortCode, expiresAt, readyAt: link.readyAt ?? now }
  await tx.update(links).set(changes).where(eq(links.id, link.id))
  await updatePurgeTimes(tx, link.ownerId, now, eq(files.linkId, link.id))
  return { ...link, ...changes }
}

/**
 * Finds an owner's active link and locks it until the transaction ends, to add files to it.
 * @throws {AppError} LINK_NOT_FOUND, also if none of its files can be downloaded any more.
 */
export async function lockActiveLink(
  tx: Db,
  ownerId: string,
  shortCode: string,
  now: Date,
): Promise<{ link: LinkRow; fileCount: number; nextPosition: number }> {
  const link = await lockLink(tx, ownerId, hasCode(shortCode))
  if (!link || link.expiresAt <= now || isUsedUp(link)) throw new AppError('LINK_NOT_FOUND')
  const { count, available, nextPosition } = await countEntries(tx, link.id)
  if (available === 0) throw new AppError('LINK_NOT_FOUND')
  return { link, fileCount: count, nextPosition }
}

/**
 * Changes one of an owner's links, if there is one with this short code.
 * @throws {AppError} DELIVERY_UNFINISHED if it would share a link whose files haven't all arrived.
 */
export async function updateLink(
  db: Db,
  ownerId: string,
  shortCode: string,
  changes: Partial<Pick<LinkRow, 'title' | 'message' | 'passwordHash' | 'maxDownloads' | 'shared'>>,
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return
  await db.transaction(async (tx) => {
    const link = await lockLink(tx, ownerId, hasCode(shortCode))
    if (!link) return
    // Otherwise, a sender could publish files that the owner hasn't seen.
    const isPublished = changes.shared === true && !link.shared
    if (isPublished && (await tx.$count(uploads, eq(uploads.linkId, link.id))) > 0) {
      throw new AppError('DELIVERY_UNFINISHED')
    }
    await tx.update(links).set(changes).where(eq(links.id, link.id))
  })
}

/** True if this client has begun to download this. `client` is a keyed hash. */
export async function hasDownloadStart(db: Db, linkId: string, client: string): Promise<boolean> {
  const isKnown = and(eq(downloadStarts.linkId, linkId), eq(downloadStarts.client, client))
  return (await db.$count(downloadStarts, isKnown)) > 0
}

export async function insertDownloadStart(
  db: Db,
  start: typeof downloadStarts.$inferInsert,
): Promise<void> {
  await db.insert(downloadStarts).values(start).onConflictDoNothing()
}

/**
 * Counts a link's files and uploads, and those of them that can still be downloaded. Returns the
 * position after the last one.
 */
async function countEntries(
  db: Db,
  linkId: string,
): Promise<{ count: number; available: number; nextPosition: number }> {
  const entries = db
    .select({
      position: files.position,
      isAvailable: sql<boolean>`${files.purgingAt} is null`.as('is_available'),
    })
    .from(files)
    .where(eq(files.linkId, linkId))
    .unionAll(
      db
        .select({ position: uploads.position, isAvailable: sql<boolean>`true` })
        .from(uploads)
        .where(eq(uploads.linkId, linkId)),
    )
    .as('entries')
  const [row] = await db
    .select({
      count: count(),
      available: sql`count(*) filter (where ${entries.isAvailable})`.mapWith(Number),
      nextPosition: sql`coalesce(max(${entries.position}) + 1, 0)`.mapWith(Number),
    })
    .from(entries)
  return row ?? { count: 0, available: 0, nextPosition: 0 }
}

/** Removes those of the given links that have neither files nor uploads. */
export async function removeEmptyLinks(db: Db, ids: readonly (string | null)[]): Promise<void> {
  if (ids.length === 0) return
  await db.delete(links).where(and(isOneOf(links.id, ids), isEmpty(db)))
}

/**
 * Removes all links that have neither files nor uploads, such as those whose uploads were abandoned
 * or aborted. Nobody sees them any more. Reads all links. Returns the number of removed links.
 */
export function removeAbandonedLinks(db: Db): Promise<number> {
  return inBatches((limit) =>
    db.transaction(async (tx) => {
      const emptyLinks = await tx
        .select({ id: links.id })
        .from(links)
        .where(isEmpty(tx))
        .limit(limit)
        .for('update', { skipLocked: true })
      // Checks again, because files may have been added before the lock.
      const ids = emptyLinks.map(({ id }) => id)
      await removeEmptyLinks(tx, ids)
      return ids.length
    }),
  )
}

function isEmpty(db: Db): SQL | undefined {
  const linkedFile = db.select({ id: files.id }).from(files).where(eq(files.linkId, links.id))
  const linkedUpload = db
    .select({ id: uploads.id })
    .from(uploads)
    .where(eq(uploads.linkId, links.id))
  return and(notExists(linkedFile), notExists(linkedUpload))
}
