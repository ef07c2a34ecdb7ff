import { and, between, count, desc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { FileKind } from '../../shared/rules/files/file-kind.ts'
import { analyticsDays, type DayCount, lastDays } from '../../shared/rules/format/day.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { fileDownloads, files, links, ownerDownloads, users } from '../db/schema.ts'
import { isOneOf } from '../db/sql.ts'
import type { Db, Deps } from '../deps.ts'
import { type FileRow, fileColumns, isLinkOfFile } from '../files/queries.ts'
import type { Owner } from '../http/session.ts'

/**
 * Counts a user's files that are active or private at `now`, by kind, and those whose links expire
 * within 24 hours. Sizes are in bytes. The browser computes the same numbers with `linkStatus` and
 * `isEndingSoon`, and tests verify that the results agree.
 */
export function countKinds(
  db: Db,
  { id, tier }: Owner,
  now: Date,
): Promise<{ kind: FileKind; count: number; size: number; endingSoon: number }[]> {
  const endsSoon = and(
    gt(links.expiresAt, now),
    lt(links.expiresAt, new Date(now.getTime() + dayInMs)),
  )
  return db
    .select({
      kind: files.kind,
      count: count(),
      size: sql`sum(${files.size})`.mapWith(Number),
      endingSoon: sql`count(*) filter (where ${endsSoon})`.mapWith(Number),
    })
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(
      and(
        eq(files.ownerId, id),
        isNull(files.purgingAt),
        gt(tierTraits[tier].renewal ? links.maxLifetimeAt : links.expiresAt, now),
      ),
    )
    .groupBy(files.kind)
}

/** Returns a user's downloads for each of these days. Omits days without downloads. */
export function countDownloadsOfOwner(
  db: Db,
  ownerId: string,
  days: readonly string[],
): Promise<DayCount[]> {
  const { day } = ownerDownloads
  return db
    .select({ day, count: sql`sum(${ownerDownloads.count})`.mapWith(Number) })
    .from(ownerDownloads)
    .where(
      and(eq(ownerDownloads.ownerId, ownerId), between(day, days.at(0) ?? '', days.at(-1) ?? '')),
    )
    .groupBy(day)
}

/** With more owners per statement, Postgres would stop using the primary key. */
const ownerBatchSize = 500

/** Deletes the download counts of days that are no longer shown. Returns how many it deleted. */
export async function removeOldDays({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): Promise<{ removed: number }> {
  const [firstDay = ''] = lastDays(clock(), analyticsDays)
  const { ownerId, day } = ownerDownloads
  let removedCount = 0
  for (let lastOwnerId: string | undefined = ''; lastOwnerId !== undefined; ) {
    const ownerRows: { id: string }[] = await db
      .select({ id: users.id })
      .from(users)
      .where(gt(users.id, lastOwnerId))
      .orderBy(users.id)
      .limit(ownerBatchSize)
    const ids = ownerRows.map(({ id }) => id)
    const { rowCount } = await db
      .delete(ownerDownloads)
      .where(and(inArray(ownerId, ids), lt(day, firstDay)))
    removedCount += rowCount ?? 0
    lastOwnerId = ids.length < ownerBatchSize ? undefined : ids.at(-1)
  }
  return { removed: removedCount }
}

/** Returns the downloads of files per day. Omits days without downloads. */
export function countDownloadsOfFiles(db: Db, fileIds: readonly string[]): Promise<DayCount[]> {
  return db
    .select({ day: fileDownloads.day, count: sql`sum(${fileDownloads.count})`.mapWith(Number) })
    .from(fileDownloads)
    .where(isOneOf(fileDownloads.fileId, fileIds))
    .groupBy(fileDownloads.day)
}

/** Finds a user's link with what its statistics need of its files. */
export async function findLinkWithFiles(db: Db, ownerId: string, shortCode: string) {
  const [link] = await db
    .select({
      id: links.id,
      createdAt: links.createdAt,
      maxLifetimeAt: links.maxLifetimeAt,
      downloadCount: links.downloadCount,
    })
    .from(links)
    .where(and(eq(links.shortCode, shortCode), eq(links.ownerId, ownerId)))
  if (!link) return undefined
  const linkFiles = await db
    .select({ id: files.id, lastDownloadAt: files.lastDownloadAt })
    .from(files)
    .where(eq(files.linkId, link.id))
  return { ...link, files: linkFiles }
}

/**
 * Finds a user's most downloaded files. If several have the same count, newer ones come first.
 * Omits files without downloads.
 */
export function findMostDownloaded(db: Db, ownerId: string, limit: number): Promise<FileRow[]> {
  return db
    .select(fileColumns)
    .from(files)
    .innerJoin(links, isLinkOfFile)
    .where(and(eq(files.ownerId, ownerId), isNull(files.deletedAt), gt(files.downloadCount, 0)))
    .orderBy(desc(files.downloadCount), desc(files.createdAt))
    .limit(limit)
}
