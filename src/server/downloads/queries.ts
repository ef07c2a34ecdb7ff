import DataLoader from 'dataloader'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { utcDay } from '../../shared/rules/format/day.ts'
import { isLinkActive } from '../../shared/rules/links/link-status.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import { brandColumns } from '../branding/queries.ts'
import {
  branding,
  fileDownloads,
  files,
  firstDownloads,
  links,
  ownerDownloads,
  preferences,
  uploads,
  users,
} from '../db/schema.ts'
import type { Clock, Db } from '../deps.ts'

/**
 * Returns a function that looks up an active link by short code, with its files and its owner's
 * brand and tier. It returns null for any other link: clients can't tell whether a link is unknown,
 * expired, private or deleted (design §4).
 */
export function makeOpenLink({ clock, db }: { clock: Clock; db: Db }) {
  // Batches the lookups of one tick. Nothing is cached.
  const loader = new DataLoader(
    async (codes: readonly string[]) => {
      const rows = await findLinks(db, codes)
      const linkIds = rows.map(({ link }) => link.id)
      const filesByLink = Map.groupBy(await listAvailableFiles(db, linkIds), ({ linkId }) => linkId)
      const links = rows.map(({ link, owner, ...row }) => {
        const files = filesByLink.get(link.id) ?? []
        return [link.shortCode, { ...link, ...owner, ...row, files }] as const
      })
      const linksByCode = new Map(links)
      return codes.map((code) => linksByCode.get(code) ?? null)
    },
    { cache: false, batchScheduleFn: setImmediate },
  )
  return async (code: string) => {
    if (!isShortCode(code)) return null
    const link = await loader.load(code)
    if (!link || (link.files.length === 0 && !link.isUploading)) return null
    return isLinkActive({ ...link, purgingAt: null }, clock()) ? link : null
  }
}

function findLinks(db: Db, codes: readonly string[]) {
  return db
    .select({
      link: links,
      isUploading: sql<boolean>`exists (select 1 from ${uploads} where ${uploads.linkId} = ${links.id})`,
      owner: {
        tier: users.tier,
        premiumTrialStartedAt: users.premiumTrialStartedAt,
        premiumTrialEndsAt: users.premiumTrialEndsAt,
      },
      brand: brandColumns,
    })
    .from(links)
    .innerJoin(users, eq(users.id, links.ownerId))
    .leftJoin(branding, eq(branding.ownerId, links.ownerId))
    .where(inArray(links.shortCode, [...codes]))
}

/** Lists the files of links that can be downloaded, in the order of their links. */
function listAvailableFiles(db: Db, linkIds: readonly string[]) {
  return db
    .select({
      id: files.id,
      linkId: files.linkId,
      storage: files.storage,
      storageKey: files.storageKey,
      originalName: files.originalName,
      mimeType: files.mimeType,
      size: files.size,
      position: files.position,
      createdAt: files.createdAt,
      sha256: files.sha256,
      crc32: files.crc32,
    })
    .from(files)
    .where(and(inArray(files.linkId, [...linkIds]), isNull(files.purgingAt)))
    .orderBy(files.position)
}

export type OpenLink = ReturnType<typeof makeOpenLink>
export type Link = NonNullable<Awaited<ReturnType<OpenLink>>>
export type DownloadableFile = Link['files'][number]

/** True if this file of a link is still on its way. Accepts any text as the id. */
export async function hasUpload(db: Db, linkId: string, fileId: string): Promise<boolean> {
  if (!z.uuid().safeParse(fileId).success) return false
  return (await db.$count(uploads, and(eq(uploads.linkId, linkId), eq(uploads.id, fileId)))) > 0
}

/**
 * A user's downloads of one day are counted in this many rows, so that parallel downloads rarely
 * contend for the same row lock.
 */
const shardCount = 16

/** What was downloaded: a file of a link, or all of its files in an archive if `fileId` is null. */
export interface Downloaded {
  linkId: string
  fileId: string | null
}

/**
 * Counts a download. Resolves once the count is in the database, with false if the link has been
 * removed or has no downloads left.
 */
export type CountDownload = (downloaded: Downloaded, now: Date) => Promise<boolean>

/**
 * Returns a function that counts the downloads of each link one after another. They update the same
 * row, so those of a popular link would otherwise occupy all database connections.
 */
export function makeDownloadCounter(db: Db): CountDownload {
  const lastCounts = new Map<string, Promise<unknown>>()
  return async (downloaded, now) => {
    const { linkId } = downloaded
    const write = () => writeCount(db, downloaded, now)
    const count = (lastCounts.get(linkId) ?? Promise.resolve()).then(write, write)
    lastCounts.set(linkId, count)
    try {
      return await count
    } finally {
      if (lastCounts.get(linkId) === count) lastCounts.delete(linkId)
    }
  }
}

/**
 * Adds a download to the totals of the link and its files, to the files' daily counts and to the
 * owner's daily count, in one statement. Records a link's first download if the owner wants an
 * email about it.
 *
 * To prevent deadlocks, the statement locks the owner, the link and the files in this order, as
 * every other transaction does.
 */
async function writeCount(db: Db, { linkId, fileId }: Downloaded, now: Date): Promise<boolean> {
  const day = sql`${utcDay(now)}::date`
  const owner = db
    .$with('owner')
    .as(
      db
        .select({ id: users.id })
        .from(users)
        .innerJoin(links, eq(links.ownerId, users.id))
        .where(eq(links.id, linkId))
        .for('key share', { of: users }),
    )
  const countedLink = db.$with('counted').as(
    db
      .update(links)
      .set({ downloadCount: sql`${links.downloadCount} + 1` })
      .where(
        and(
          eq(links.id, linkId),
          inArray(links.ownerId, db.select({ id: owner.id }).from(owner)),
          sql`coalesce(${links.downloadCount} < ${links.maxDownloads}, true)`,
        ),
      )
      .returning({ id: links.id, ownerId: links.ownerId, downloadCount: links.downloadCount }),
  )
  const countedFiles = db.$with('counted_files').as(
    db
      .update(files)
      .set({
        downloadCount: sql`${files.downloadCount} + 1`,
        // Another server may already have counted a later download.
        lastDownloadAt: sql`greatest(${files.lastDownloadAt}, ${now})`,
      })
      .from(countedLink)
      .where(
        and(eq(files.linkId, countedLink.id), fileId === null ? undefined : eq(files.id, fileId)),
      )
      .returning({ id: files.id }),
  )
  // The last byte of a link's id is random, so links spread evenly over the shards.
  const shard = sql`get_byte(uuid_send(${countedLink.id}), 15) % ${sql.raw(String(shardCount))}`
  const countedForOwner = db.$with('counted_for_owner').as(
    db
      .insert(ownerDownloads)
      .select(sql`select ${countedLink.ownerId}, ${day}, ${shard}, 1 from ${countedLink}`)
      .onConflictDoUpdate({
        target: [ownerDownloads.ownerId, ownerDownloads.day, ownerDownloads.shard],
        set: { count: sql`${ownerDownloads.count} + excluded.count` },
      })
      .returning({ shard: ownerDownloads.shard }),
  )
  const wantsEmail = sql`exists (select 1 from ${preferences}
    where ${preferences.userId} = counted.owner_id and ${preferences.mailOnFirstDownload})`
  const firstDownload = db
    .$with('first')
    .as(
      db
        .insert(firstDownloads)
        .select(sql`select id, owner_id from counted where download_count = 1 and ${wantsEmail}`)
        .onConflictDoNothing()
        .returning({ linkId: firstDownloads.linkId }),
    )
  const countedByDay = db.$with('counted_by_day').as(
    db
      .insert(fileDownloads)
      .select(sql`select ${countedFiles.id}, ${day}, 1 from ${countedFiles}`)
      .onConflictDoUpdate({
        target: [fileDownloads.fileId, fileDownloads.day],
        set: { count: sql`${fileDownloads.count} + excluded.count` },
      })
      .returning({ fileId: fileDownloads.fileId }),
  )
  const countedLinks = await db
    .with(owner, countedLink, countedFiles, countedForOwner, countedByDay, firstDownload)
    .select({ id: countedLink.id })
    .from(countedLink)
  return countedLinks.length > 0
}
