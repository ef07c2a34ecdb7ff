import type { Deps } from '../deps.ts'
import { lastLineOf } from './audit-queries.ts'
import { readStats } from './user-queries.ts'

type Stats = Awaited<ReturnType<typeof readStats>>

/** How many milliseconds the counted figures are reused. */
const keptMs = 60_000

/**
 * Makes a function that returns the figures of the whole server (spec §3, admin stats). Counting
 * reads the tables of users and files to their ends. So the figures are counted at most once a
 * minute, and at once after an act of the administrator. Every act is a line of the audit log,
 * which all servers see. A visit during a count waits for its end, so that two counts never run at
 * the same time.
 *
 * Sums that are always up to date would cost every upload, download and deletion a write to one
 * shared row. Few people look at these figures, so one count a minute is cheaper.
 * @param read counts the figures.
 */
export function keepStats(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  read: typeof readStats = readStats,
): (administrator: string) => Promise<Stats> {
  let kept: { stats: Stats; at: number; lastAct: number | null } | undefined
  let counting: Promise<Stats> | undefined

  const count = async (lastAct: number | null) => {
    const now = clock()
    const stats = await read(db, now)
    kept = { stats, at: now.getTime(), lastAct }
    return stats
  }
  return async function current(administrator): Promise<Stats> {
    const lastAct = await lastLineOf(db, administrator)
    // If the clock was set back, the age is negative. Then the figures are counted again.
    const age = kept ? clock().getTime() - kept.at : keptMs
    if (kept && kept.lastAct === lastAct && age >= 0 && age < keptMs) return kept.stats
    if (counting) {
      await counting.catch(() => undefined)
      return current(administrator)
    }
    counting = count(lastAct).finally(() => {
      counting = undefined
    })
    return counting
  }
}
