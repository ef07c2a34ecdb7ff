import type { Deps } from '../deps.ts'
import { lastLineOf } from './audit-queries.ts'
import { readStats } from './user-queries.ts'

type Stats = Awaited<ReturnType<typeof readStats>>

const cachedMs = 60_000

/**
 * Makes a function that returns the figures of the whole server (spec §7, admin stats). Counting
 * reads the tables of users and files, so the figures are cached for a minute. An action of the
 * administrator, which leaves a line in the audit log, makes the next visit count again.
 */
export function cacheStats({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): (administrator: string) => Promise<Stats> {
  let cached: { stats: Stats; at: number; lastAction: number | null } | undefined
  return async (administrator) => {
    const lastAction = await lastLineOf(db, administrator)
    const now = clock()
    const age = now.getTime() - (cached?.at ?? 0)
    if (cached?.lastAction === lastAction && age >= 0 && age < cachedMs) return cached.stats
    const stats = await readStats(db, now)
    cached = { stats, at: now.getTime(), lastAction }
    return stats
  }
}
