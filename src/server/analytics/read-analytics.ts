import { z } from 'zod'
import { fileKinds } from '../../shared/rules/files/file-kind.ts'
import {
  analyticsDays,
  daysBetween,
  lastDays,
  utcDay,
  withEmptyDays,
} from '../../shared/rules/format/day.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findFile } from '../files/queries.ts'
import type { Owner } from '../http/session.ts'
import {
  countDownloadsOfFiles,
  countDownloadsOfOwner,
  countKinds,
  findLinkWithFiles,
  findMostDownloaded,
} from './queries.ts'

/** The page shows this list beside the list of kinds, so the two have the same length. */
const mostDownloadedLength = fileKinds.length

/**
 * Returns the number of a user's files by kind, the number of links that expire soon, and the
 * downloads (spec §2).
 */
export async function readAnalytics({ clock, db }: Pick<Deps, 'clock' | 'db'>, user: Owner) {
  const now = clock()
  const days = lastDays(now, analyticsDays)
  const kindCounts = await countKinds(db, user, now)
  const byKind = new Map(kindCounts.map((row) => [row.kind, row]))
  return {
    kinds: fileKinds.map((kind) => byKind.get(kind) ?? { kind, count: 0, size: 0 }),
    expiringSoon: kindCounts.reduce((sum, { endingSoon }) => sum + endingSoon, 0),
    days: withEmptyDays(days, await countDownloadsOfOwner(db, user.id, days)),
    mostDownloaded: await findMostDownloaded(db, user.id, mostDownloadedLength),
  }
}

const fileId = z.uuid()

/**
 * Returns how often a file was downloaded: the total, the time of the last download, and the count
 * per day from the upload until today or the end of the maximum lifetime.
 * @throws {AppError} FILE_NOT_FOUND if the caller has no such file.
 */
export async function readFileStats(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  ownerId: string,
  id: string,
) {
  const file = fileId.safeParse(id).success ? await findFile(db, ownerId, { id }) : undefined
  if (!file) throw new AppError('FILE_NOT_FOUND')
  const { downloadCount, lastDownloadAt } = file
  const counts = await countDownloadsOfFiles(db, [id])
  return { downloadCount, lastDownloadAt, days: withEmptyDays(daysOf(file, clock()), counts) }
}

/**
 * Returns how often a link was downloaded, as `readFileStats` does. The counts per day are those of
 * its files.
 * @throws {AppError} LINK_NOT_FOUND if the caller has no such link.
 */
export async function readLinkStats(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  ownerId: string,
  shortCode: string,
) {
  const link = await findLinkWithFiles(db, ownerId, shortCode)
  if (!link) throw new AppError('LINK_NOT_FOUND')
  const { downloadCount, files } = link
  const downloadTimes = files.flatMap((file) => file.lastDownloadAt?.getTime() ?? [])
  const counts = await countDownloadsOfFiles(
    db,
    files.map(({ id }) => id),
  )
  return {
    downloadCount,
    lastDownloadAt: downloadTimes.length > 0 ? new Date(Math.max(...downloadTimes)) : null,
    days: withEmptyDays(daysOf(link, clock()), counts),
  }
}

/** Returns the days from the upload until today or the end of the maximum lifetime. */
function daysOf({ createdAt, maxLifetimeAt }: { createdAt: Date; maxLifetimeAt: Date }, now: Date) {
  const endMs = Math.min(now.getTime(), maxLifetimeAt.getTime())
  return daysBetween(utcDay(createdAt), utcDay(new Date(endMs)))
}
