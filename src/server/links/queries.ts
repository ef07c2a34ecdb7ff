import { and, eq, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { customAlphabet } from 'nanoid'
import { isUsedUp } from '../../shared/rules/links/link-status.ts'
import { shortCodeAlphabet, shortCodeLength } from '../../shared/rules/links/short-code.ts'
import { downloadStarts, files, links, shortCodes, uploads } from '../db/schema.ts'
import { isOneOf } from '../db/sql.ts'
import type { Db } from '../deps.ts'
import { AppError } from '../errors.ts'
import { updatePurgeTimes } from '../files/purge-queries.ts'

/*
 * Transactions lock rows in this order, to prevent deadlocks: the owner, requests, links, uploads,
 * files, each sorted by id.
 */

export type LinkRow = typeof links.$inferSelect

/** The columns that the start and the confirmation of an upload need. */
export const linkColumnsOfUpload = {
  id: links.id,
  ownerId: links.ownerId,
  shortCode: links.shortCode,
  expirationDays: links.expirationDays,
  maxLifetimeDays: links.maxLifetimeDays,
  createdAt: links.createdAt,
  readyAt: links.readyAt,
  expiresAt: links.expiresAt,
  maxLifetimeAt: links.maxLifetimeAt,
  requestId: links.requestId,
  fileCount: links.fileCount,
  pendingCount: links.pendingCount,
}

export type LinkOfUpload = Pick<LinkRow, keyof typeof linkColumnsOfUpload>

/** Generates a short code. Issuing it fails if it was ever issued before. */
export const newShortCode = customAlphabet(shortCodeAlphabet, shortCodeLength)

/**
 * Inserts a link with a new short code, for uploads that the caller inserts next.
 * @throws if the code was issued before. The transaction must then be rolled back.
 */
export async function insertLink(
  tx: Db,
  newLink: Omit<
    typeof links.$inferInsert,
    'shortCode' | 'fileCount' | 'pendingCount' | 'totalSize' | 'firstName'
  >,
  newUploads: readonly { originalName: string; size: number }[],
): Promise<LinkOfUpload> {
  const shortCode = newShortCode()
  const issuedCode = tx
    .$with('issued_code')
    .as(tx.insert(shortCodes).values({ code: shortCode, issuedAt: newLink.createdAt }))
  const [link] = await tx
    .with(issuedCode)
    .insert(links)
    .values({
      ...newLink,
      shortCode,
      fileCount: newUploads.length,
      pendingCount: newUploads.length,
      totalSize: newUploads.reduce((sum, { size }) => sum + size, 0),
      firstName: newUploads[0]?.originalName ?? '',
    })
    .returning(linkColumnsOfUpload)
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
): Promise<{ link: LinkRow; nextPosition: number }> {
  const link = await lockLink(tx, ownerId, hasCode(shortCode))
  if (!link || link.expiresAt <= now || isUsedUp(link)) throw new AppError('LINK_NOT_FOUND')
  const entries = entriesOf(tx, eq(links.id, link.id))
  const [row] = await tx
    .select({
      available: sql`count(*) filter (where ${entries.isAvailable})`.mapWith(Number),
      nextPosition: sql`coalesce(max(${entries.position}) + 1, 0)`.mapWith(Number),
    })
    .from(entries)
  if (!row?.available) throw new AppError('LINK_NOT_FOUND')
  return { link, nextPosition: row.nextPosition }
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
 * Updates what links store about their files and uploads, and removes links that have neither. Call
 * it in the transaction that changed them; the links must be locked.
 */
export async function recountLinks(tx: Db, ids: readonly (string | null)[] | 'all'): Promise<void> {
  const condition = ids === 'all' ? undefined : isOneOf(links.id, ids)
  const entries = entriesOf(tx, condition)
  await tx
    .delete(links)
    .where(and(condition, notInArray(links.id, tx.select({ id: entries.linkId }).from(entries))))
  const totals = tx
    .select({
      linkId: entries.linkId,
      fileCount: sql`count(*)`.as('new_file_count'),
      pendingCount: sql`count(*) filter (where ${entries.isPending})`.as('new_pending_count'),
      totalSize: sql`sum(${entries.size})`.as('new_total_size'),
      firstName: sql`(array_agg(${entries.name} order by ${entries.position}))[1]`.as(
        'new_first_name',
      ),
    })
    .from(entries)
    .groupBy(entries.linkId)
    .as('totals')
  const { fileCount, pendingCount, totalSize, firstName } = totals
  await tx
    .update(links)
    .set({
      fileCount: sql`${fileCount}`,
      pendingCount: sql`${pendingCount}`,
      totalSize: sql`${totalSize}`,
      firstName: sql`${firstName}`,
    })
    .from(totals)
    .where(eq(links.id, totals.linkId))
}

/** The files and uploads of the links that match the condition. */
function entriesOf(db: Db, condition: SQL | undefined) {
  const filesOfLinks = db
    .select({
      linkId: sql<string>`${links.id}`.as('link_id'),
      name: files.originalName,
      size: files.size,
      position: files.position,
      isPending: sql<boolean>`false`.as('is_pending'),
      isAvailable: sql<boolean>`${files.purgingAt} is null`.as('is_available'),
    })
    .from(links)
    .innerJoin(files, eq(files.linkId, links.id))
    .where(condition)
  const uploadsOfLinks = db
    .select({
      linkId: sql<string>`${links.id}`,
      name: uploads.originalName,
      size: uploads.size,
      position: uploads.position,
      isPending: sql<boolean>`true`,
      isAvailable: sql<boolean>`true`,
    })
    .from(links)
    .innerJoin(uploads, eq(uploads.linkId, links.id))
    .where(condition)
  return filesOfLinks.unionAll(uploadsOfLinks).as('entries')
}
