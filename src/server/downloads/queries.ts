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
export function prepareOpenLink({ clock, db }: { clock: Clock; db: Db }) {
  // Without this `limit`, Postgres may join the entire tables.
  const owner = db
    .select({
      tier: users.tier,
      premiumTrialStartedAt: users.premiumTrialStartedAt,
      premiumTrialEndsAt: users.premiumTrialEndsAt,
    })
    .from(users)
    .where(eq(users.id, links.ownerId))
    .limit(1)
    .as('owner')
  const brand = db
    .select(brandColumns)
    .from(branding)
    .where(eq(branding.ownerId, links.ownerId))
    .limit(1)
    .as('brand')
  const isAvailable = and(eq(files.linkId, links.id), isNull(files.purgingAt))
  const query = db
    .select({
      link: links,
      file: {
        id: files.id,
        storage: files.storage,
        storageKey: files.storageKey,
        originalName: files.originalName,
        mimeType: files.mimeType,
        size: files.size,
        position: files.position,
        createdAt: files.createdAt,
        sha256: files.sha256,
        crc32: files.crc32,
      },
      isUploading: sql<boolean>`exists (select 1 from ${uploads} where ${uploads.linkId} = ${links.id})`,
      owner: owner._.selectedFields,
      brand: brand._.selectedFields,
    })
    .from(links)
    .leftJoin(files, isAvailable)
    .innerJoinLateral(owner, sql`true`)
    .leftJoinLateral(brand, sql`true`)
    .where(sql`${links.shortCode} = any(${sql.placeholder('codes')})`)
    .prepare('find_links')
  // Batches the lookups of one tick into a single query. Nothing is cached.
  const loader = new DataLoader(
    async (codes: readonly string[]) => {
      const rows = await query.execute({ codes })
      const rowsByCode = Map.groupBy(rows, ({ link }) => link.shortCode)
      return codes.map((code) => toOpenLink(rowsByCode.get(code) ?? []))
    },
    { cache: false, batchScheduleFn: setImmediate },
  )
  return async (code: string) => {
    if (!isShortCode(code)) return null
    const link = await loader.load(code)
    if (!link || (link.files.length === 0 && !link.isUploading)) return null
    return isLinkActive({ ...link, purgingAt: null }, clock()) ? link : null
  }

  type Row = Awaited<ReturnType<typeof query.execute>>[number]

  function toOpenLink(rows: readonly Row[]) {
    const [row] = rows
    if (!row) return null
    const { link, owner, brand, isUploading } = row
    const linkFiles = rows.flatMap(({ file }) => file ?? [])
    linkFiles.sort((a, b) => a.position - b.position)
    return { ...link, ...owner, brand, isUploading, files: linkFiles }
  }
}

export type OpenLink = ReturnType<typeof prepareOpenLink>
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

/**
 * Returns a function that adds downloads to the totals of the link and its files, to the files'
 * daily counts and to the owner's daily count, in one prepared statement. Records a link's first
 * download if the owner wants an email about it.
 *
 * To prevent deadlocks, the statement locks the owner, the link and the files in this order, as
 * every other transaction does.
 */
export function prepareWriteCount(db: Db): WriteCount {
  const count = sql`${sql.placeholder('count')}::int`
  const day = sql`${sql.placeholder('day')}::date`
  const last = sql`${sql.placeholder('last')}::timestamptz`
  const linkId = sql.placeholder('linkId')
  const fileId = sql`${sql.placeholder('fileId')}::uuid`
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
      .set({ downloadCount: sql`${links.downloadCount} + ${count}` })
      .where(
        and(
          eq(links.id, linkId),
          inArray(links.ownerId, db.select({ id: owner.id }).from(owner)),
          sql`coalesce(${links.downloadCount} + ${count} <= ${links.maxDownloads}, true)`,
        ),
      )
      .returning({ id: links.id, ownerId: links.ownerId, downloadCount: links.downloadCount }),
  )
  const countedFiles = db.$with('counted_files').as(
    db
      .update(files)
      .set({
        downloadCount: sql`${files.downloadCount} + ${count}`,
        // Another server may already have counted a later download.
        lastDownloadAt: sql`greatest(${files.lastDownloadAt}, ${last})`,
      })
      .from(countedLink)
      .where(and(eq(files.linkId, countedLink.id), sql`coalesce(${files.id} = ${fileId}, true)`))
      .returning({ id: files.id }),
  )
  // The last byte of a link's id is random, so links spread evenly over the shards.
  const shard = sql`get_byte(uuid_send(${countedLink.id}), 15) % ${sql.raw(String(shardCount))}`
  const countedForOwner = db.$with('counted_for_owner').as(
    db
      .insert(ownerDownloads)
      .select(sql`select ${countedLink.ownerId}, ${day}, ${shard}, ${count} from ${countedLink}`)
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
        .select(
          sql`select id, owner_id from counted where download_count = ${count} and ${wantsEmail}`,
        )
        .onConflictDoNothing()
        .returning({ linkId: firstDownloads.linkId }),
    )
  const countedByDay = db.$with('counted_by_day').as(
    db
      .insert(fileDownloads)
      .select(sql`select ${countedFiles.id}, ${day}, ${count} from ${countedFiles}`)
      .onConflictDoUpdate({
        target: [fileDownloads.fileId, fileDownloads.day],
        set: { count: sql`${fileDownloads.count} + excluded.count` },
      })
      .returning({ fileId: fileDownloads.fileId }),
  )
  const query = db
    .with(owner, countedLink, countedFiles, countedForOwner, countedByDay, firstDownload)
    .select({ id: countedLink.id })
    .from(countedLink)
    .prepare('count_downloads')
  return async ({ linkId, fileId }, day, count, last) => {
    const countedLinks = await query.execute({ linkId, fileId, day, count, last })
    return countedLinks.length > 0
  }
}

/** What was downloaded: a file of a link, or all of its files in an archive if `fileId` is null. */
export interface Downloaded {
  linkId: string
  fileId: string | null
}

/**
 * Adds `count` downloads on one day (UTC). `last` is the time of the most recent download. Returns
 * false if the link has been removed or its limit would be exceeded.
 */
export type WriteCount = (
  downloaded: Downloaded,
  day: string,
  count: number,
  last: Date,
) => Promise<boolean>

/** Counts a download. Resolves once the count is in the database. */
export type CountDownload = (downloaded: Downloaded, now: Date) => Promise<void>

interface Batch {
  count: number
  last: Date
  completion: PromiseWithResolvers<void>
}

/**
 * Returns a function that counts downloads in batches, because all downloads of a link update the
 * same row. At most one statement runs per link, file and day; downloads that arrive in the
 * meantime share the next one. The first statement waits for the end of the tick, because lookups
 * that share a query finish together. If a statement fails, every call in its batch rejects.
 */
export function makeDownloadCounter(write: WriteCount): CountDownload {
  /**
   * By link, file and day: the batch to write next. Null if a statement is running and no download
   * is waiting.
   */
  const pending = new Map<string, Batch | null>()

  const writeNext = (downloaded: Downloaded, day: string): void => {
    const key = createKey(downloaded, day)
    const batch = pending.get(key)
    if (!batch) {
      pending.delete(key)
      return
    }
    pending.set(key, null)
    const statement = write(downloaded, day, batch.count, batch.last)
    batch.completion.resolve(statement.then(() => undefined))
    const writeNextBatch = () => writeNext(downloaded, day)
    statement.then(writeNextBatch, writeNextBatch)
  }

  return (downloaded, now) => {
    const day = utcDay(now)
    const key = createKey(downloaded, day)
    if (!pending.has(key)) setImmediate(writeNext, downloaded, day)
    const batch = pending.get(key) ?? {
      count: 0,
      last: now,
      completion: Promise.withResolvers<void>(),
    }
    pending.set(key, batch)
    batch.count += 1
    batch.last = now
    return batch.completion.promise
  }
}

function createKey({ linkId, fileId }: Downloaded, day: string): string {
  return `${linkId} ${fileId} ${day}`
}
