import { fileKinds } from '../../shared/rules/files/file-kind.ts'
import { analyticsDays, lastDays, withEmptyDays } from '../../shared/rules/format/day.ts'
import type { Deps } from '../deps.ts'
import type { Owner } from '../http/session.ts'
import { countDownloadsOfOwner, countKinds, findMostDownloaded } from './queries.ts'

/**
 * How many files the list of most downloads has. The page shows it beside the list of kinds, so
 * both are of the same length.
 */
const mostDownloadedLength = fileKinds.length

/**
 * Returns how many files of each kind (Images, Videos, ...) a user has. Also returns, for all kinds
 * together, how many of the user's links expire soon, and how often the files were downloaded
 * (spec §2).
 */
export async function readAnalytics({ clock, db }: Pick<Deps, 'clock' | 'db'>, user: Owner) {
  const now = clock()
  const days = lastDays(now, analyticsDays)
  const counted = await countKinds(db, user, now)
  const byKind = new Map(counted.map((row) => [row.kind, row]))
  return {
    kinds: fileKinds.map((kind) => byKind.get(kind) ?? { kind, count: 0, size: 0 }),
    expiringSoon: counted.reduce((sum, { endingSoon }) => sum + endingSoon, 0),
    days: withEmptyDays(days, await countDownloadsOfOwner(db, user.id, days)),
    mostDownloaded: await findMostDownloaded(db, user.id, mostDownloadedLength),
  }
}
