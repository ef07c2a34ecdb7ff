import type { Deps } from '../deps.ts'
import { lastLineOf } from './audit-queries.ts'
import { readStats } from './user-queries.ts'

type Stats = Awaited<ReturnType<typeof readStats>>

/** If a count took less time than this, its figures are not reused. */
const cheapMs = 20
/** Other figures are reused for this many times as long as their count took. */
const keptTimes = 50
/** No figures are reused for longer than this. */
const mostKeptMs = 60_000

interface Kept {
  stats: Stats
  /** The number of the count. The first one is 1. */
  number: number
  at: number
  keptMs: number
  lastAct: number | null
}

/**
 * Makes a function that returns the figures of the whole server (spec §7, admin stats). Counting
 * reads the tables of users and files to their ends. Where that is quick, each visit counts again.
 * Otherwise the figures are reused for fifty times as long as the count took, but for a minute at
 * most. After an act of the administrator they are counted again at once. Every act is a line of
 * the audit log, which all servers see. A visit during a count waits for its end, so that one
 * process never runs two counts at the same time.
 *
 * Sums that are always up to date would cost every upload, download and deletion a write to one
 * shared row. Few people look at these figures, so counting them is cheaper.
 * @param read counts the figures.
 */
export function keepStats(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  read: typeof readStats = readStats,
): (administrator: string) => Promise<Stats> {
  let begun = 0
  let kept: Kept | undefined
  let counting: Promise<Stats> | undefined

  const count = async (lastAct: number | null) => {
    begun += 1
    const number = begun
    const now = clock()
    const stats = await read(db, now)
    const at = clock().getTime()
    kept = { stats, number, at, keptMs: keptMs(at - now.getTime()), lastAct }
    return stats
  }
  return async function current(administrator): Promise<Stats> {
    const begunBefore = begun
    const lastAct = await lastLineOf(db, administrator)
    for (;;) {
      // A count that began after this visit has seen everything that the visitor did before.
      const isNewer = kept !== undefined && kept.number > begunBefore
      if (kept && (isNewer || isFresh(kept, lastAct, clock().getTime()))) return kept.stats
      if (!counting) break
      await counting.catch(() => undefined)
    }
    counting = count(lastAct).finally(() => {
      counting = undefined
    })
    return counting
  }
}

function keptMs(countMs: number): number {
  return countMs < cheapMs ? 0 : Math.min(keptTimes * countMs, mostKeptMs)
}

function isFresh(kept: Kept, lastAct: number | null, now: number): boolean {
  // If the clock was set back, the age is negative. Then the figures are counted again.
  const age = now - kept.at
  return kept.lastAct === lastAct && age >= 0 && age < kept.keptMs
}
