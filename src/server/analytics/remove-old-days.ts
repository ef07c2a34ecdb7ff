import { analyticsDays, lastDays } from '../../shared/rules/format/day.ts'
import type { Deps } from '../deps.ts'
import { listOwners, removeDaysBefore } from './queries.ts'

const ownersAtOnce = 500

/**
 * Removes the counts of downloads for days that are too old to be shown. It takes the users in
 * pages, so that each statement finds its rows by the primary key. If it is interrupted, the next
 * run continues.
 * @returns how many counts were removed.
 */
export async function removeOldDays({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): Promise<{ removed: number }> {
  const [first = ''] = lastDays(clock(), analyticsDays)
  let removed = 0
  let after = ''
  for (;;) {
    const owners = await listOwners(db, after, ownersAtOnce)
    removed += await removeDaysBefore(db, owners, first)
    const last = owners.at(-1)
    if (last === undefined || owners.length < ownersAtOnce) return { removed }
    after = last
  }
}
