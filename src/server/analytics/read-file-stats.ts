import { z } from 'zod'
import { dayOf, daysBetween, withEmptyDays } from '../../shared/rules/format/day.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { countDownloadsOfFile, findFile } from './queries.ts'

const fileId = z.uuid()

/**
 * Returns the downloads of one of the user's files: how many in total, when the last one was, and
 * how many on each day. The days begin with the upload. They end today, or on the day of
 * `maxLifetimeAt` if that is earlier.
 * @throws {AppError} FILE_NOT_FOUND when the caller has no such file.
 */
export async function readFileStats(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  ownerId: string,
  id: string,
) {
  const file = fileId.safeParse(id).success ? await findFile(db, ownerId, id) : undefined
  if (!file) throw new AppError('FILE_NOT_FOUND')
  const { downloadCount, lastDownloadAt, createdAt, maxLifetimeAt } = file
  const end = Math.min(clock().getTime(), maxLifetimeAt.getTime())
  const days = daysBetween(dayOf(createdAt), dayOf(new Date(end)))
  return {
    downloadCount,
    lastDownloadAt,
    days: withEmptyDays(days, await countDownloadsOfFile(db, id)),
  }
}
