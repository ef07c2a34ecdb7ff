import type { Deps } from '../deps.ts'
import { lastLineOf } from './audit-queries.ts'
import { readStats } from './user-queries.ts'

type Stats = Awaited<ReturnType<typeof readStats>>

/** For how long figures are kept. */
const keptMs = 60_000

/**
 * Makes a function that returns the figures of the whole server (spec §3, admin stats). They are
 * counted anew at most once a minute, because counting reads the tables of users and files to their
 * ends. After an act of the administrator they are counted anew at once: an act is a line of the
 * audit log, which all servers see. Visits during a count wait for it, so that there is never a
 * second one beside it.
 *
 * Sums that are kept up to date would cost every upload, download and deletion a write to a row that
 * all of them share. So few people look at these figures that a count a minute is cheaper.
 * @param read counts.
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
    // A clock that was set back makes an age below zero. Such figures are counted anew too.
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
