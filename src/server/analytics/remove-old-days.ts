import { analyticsDays } from '../../shared/contract/analytics.ts'
import { lastDays } from '../../shared/rules/day.ts'
import type { Deps } from '../deps.ts'
import { removeDaysBefore } from './queries.ts'

/**
 * Removes the counts of downloads for days that are too old to be shown.
 * @returns how many counts were removed.
 */
export async function removeOldDays({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): Promise<{ removed: number }> {
  const [first = ''] = lastDays(clock(), analyticsDays)
  return { removed: await removeDaysBefore(db, first) }
}
