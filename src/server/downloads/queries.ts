import DataLoader from 'dataloader'
import { and, eq, inArray, sql } from 'drizzle-orm'
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
  users,
} from '../db/schema.ts'
import type { Clock, Db } from '../deps.ts'

/**
 * Returns a function that looks up an active link by short code, with its owner's brand and tier.
 * It returns null for any other link: clients can't tell whether a link is unknown, expired,
 * private or deleted (design §4).
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
  const query = db
    .select({
      id: files.id,
      storage: files.storage,
      storageKey: files.storageKey,
      originalName: files.originalName,
      mimeType: files.mimeType,
      size: files.size,
      shortCode: links.shortCode,
      createdAt: files.createdAt,
      expiresAt: links.expiresAt,
      maxLifetimeAt: links.maxLifetimeAt,
      sha256: files.sha256,
      purgingAt: files.purgingAt,
      tier: owner.tier,
      premiumTrialStartedAt: owner.premiumTrialStartedAt,
      premiumTrialEndsAt: owner.premiumTrialEndsAt,
      brand: {
        name: brand.name,
        accent: brand.accent,
        message: brand.message,
        logoKey: brand.logoKey,
        logoWidth: brand.logoWidth,
        logoHeight: brand.logoHeight,
      },
    })
    .from(links)
    .innerJoin(files, eq(files.linkId, links.id))
    .leftJoinLateral(owner, sql`true`)
    .leftJoinLateral(brand, sql`true`)
    .where(sql`${links.shortCode} = any(${sql.placeholder('codes')})`)
    .prepare('find_links')
  // Batches the lookups of one tick into a single query. Nothing is cached.
  const loader = new DataLoader(
    async (codes: readonly string[]) => {
      const foundLinks = await query.execute({ codes })
      const linksByCode = new Map(foundLinks.map((link) => [link.shortCode, link]))
      return codes.map((code) => linksByCode.get(code) ?? null)
    },
    { cache: false, batchScheduleFn: setImmediate },
  )
  return async (code: string) => {
    if (!isShortCode(code)) return null
    const link = await loader.load(code)
    return link && isLinkActive(link, clock()) ? link : null
  }
}

export type OpenLink = ReturnType<typeof prepareOpenLink>
export type Link = NonNullable<Awaited<ReturnType<OpenLink>>>

/**
 * A user's downloads of one day are counted in this many rows, so that parallel downloads rarely
 * contend for the same row lock.
 */
const shardCount = 16

/**
 * Returns a function that adds downloads to the file's total, the file's daily count and the
 * owner's daily count, in one prepared statement. Records a file's first download if the owner
 * wants an email about it.
 *
 * To prevent deadlocks, the statement locks the owner before the file, as the deletion of a user
 * does.
 */
export function prepareWriteCount(db: Db): WriteCount {
  const count = sql`${sql.placeholder('count')}::int`
  const day = sql`${sql.placeholder('day')}::date`
  const last = sql`${sql.placeholder('last')}::timestamptz`
  const fileId = sql.placeholder('fileId')
  const owner = db
    .$with('owner')
    .as(
      db
        .select({ id: users.id })
        .from(users)
        .innerJoin(files, eq(files.ownerId, users.id))
        .where(eq(files.id, fileId))
        .for('key share', { of: users }),
    )
  const countedFile = db.$with('counted').as(
    db
      .update(files)
      .set({
        downloadCount: sql`${files.downloadCount} + ${count}`,
        // Another server may already have counted a later download.
        lastDownloadAt: sql`greatest(${files.lastDownloadAt}, ${last})`,
      })
      .where(
        and(eq(files.id, fileId), inArray(files.ownerId, db.select({ id: owner.id }).from(owner))),
      )
      .returning({
        id: files.id,
        linkId: files.linkId,
        ownerId: files.ownerId,
        downloadCount: files.downloadCount,
      }),
  )
  // The last byte of a file's id is random, so files spread evenly over the shards.
  const shard = sql`get_byte(uuid_send(${countedFile.id}), 15) % ${sql.raw(String(shardCount))}`
  const countedForOwner = db.$with('counted_for_owner').as(
    db
      .insert(ownerDownloads)
      .select(sql`select ${countedFile.ownerId}, ${day}, ${shard}, ${count} from ${countedFile}`)
      .onConflictDoUpdate({
        target: [ownerDownloads.ownerId, ownerDownloads.day, ownerDownloads.shard],
        set: { count: sql`${ownerDownloads.count} + excluded.count` },
      })
      .returning({ shard: ownerDownloads.shard }),
  )
  const wantsEmail = sql`exists (select 1 from ${preferences}
    where ${preferences.userId} = counted.owner_id and ${preferences.mailOnFirstDownload})`
  const firstDownload = db.$with('first').as(
    db
      .insert(firstDownloads)
      .select(
        sql`select link_id, owner_id from counted
            where link_id is not null and download_count = ${count} and ${wantsEmail}`,
      )
      .onConflictDoNothing()
      .returning({ linkId: firstDownloads.linkId }),
  )
  const query = db
    .with(owner, countedFile, countedForOwner, firstDownload)
    .insert(fileDownloads)
    .select(sql`select ${countedFile.id}, ${day}, ${count} from ${countedFile}`)
    .onConflictDoUpdate({
      target: [fileDownloads.fileId, fileDownloads.day],
      set: { count: sql`${fileDownloads.count} + excluded.count` },
    })
    .prepare('count_downloads')
  return async (fileId, day, count, last) => {
    await query.execute({ fileId, day, count, last })
  }
}

/**
 * Adds `count` downloads of a file on one day (UTC). `last` is the time of the most recent
 * download.
 */
type WriteCount = (fileId: string, day: string, count: number, last: Date) => Promise<void>

/** Counts a download of a file. Resolves once the count is in the database. */
export type CountDownload = (fileId: string, now: Date) => Promise<void>

interface Batch {
  count: number
  last: Date
  completion: PromiseWithResolvers<void>
}

/**
 * Returns a function that counts downloads in batches, because all downloads of a file update the
 * same row. At most one statement runs per file and day; downloads that arrive in the meantime
 * share the next one. The first statement waits for the end of the tick, because lookups that share
 * a query finish together. If a statement fails, every call in its batch rejects.
 */
export function makeDownloadCounter(write: WriteCount): CountDownload {
  /**
   * By file and day: the batch to write next. Null if a statement is running and no download is
   * waiting.
   */
  const pending = new Map<string, Batch | null>()

  const writeNext = (fileId: string, day: string): void => {
    const key = keyOf(fileId, day)
    const batch = pending.get(key)
    if (!batch) {
      pending.delete(key)
      return
    }
    pending.set(key, null)
    const statement = write(fileId, day, batch.count, batch.last)
    batch.completion.resolve(statement)
    const writeNextBatch = () => writeNext(fileId, day)
    statement.then(writeNextBatch, writeNextBatch)
  }

  return (fileId, now) => {
    const day = utcDay(now)
    const key = keyOf(fileId, day)
    if (!pending.has(key)) setImmediate(writeNext, fileId, day)
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

function keyOf(fileId: string, day: string): string {
  return `${fileId} ${day}`
}
