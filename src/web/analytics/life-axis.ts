import { dayOf, daysBetween, startOfDay } from '../../shared/rules/format/day.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import type { LifelineDates } from '../../shared/rules/links/lifeline.ts'

/**
 * The axis below the downloads of a file: all days of UTC that the file's longest life touches. The
 * life begins within the first day and ends within the last one. Places are in percent of the axis.
 */
export interface LifeAxis {
  /** How many days the axis has. */
  days: number
  /** Where the file's life begins, and how much of the axis it takes. */
  start: number
  width: number
  /** True if the name of the first day has room below the axis. The end always has its name. */
  hasFirst: boolean
  /** Where the name 'today' stands; null if it has no room. */
  today: { x: number; shift: number } | null
}

/** The least distance of 'today' from the start and from the end of the axis, in percent. */
const [fromFirst, fromLast] = [20, 28]

/**
 * Computes the axis of a file's life at the moment `now`. If 'today' is close to the first day, it
 * takes the place of that day's name. Close to the end there is no 'today'.
 */
export function lifeAxis(file: Omit<LifelineDates, 'expiresAt'>, now: Date): LifeAxis {
  const first = dayOf(file.createdAt)
  const days = daysBetween(first, dayOf(file.maxLifetimeAt)).length
  const begin = startOfDay(first).getTime()
  const placeOf = (moment: Date) => ((moment.getTime() - begin) / (days * dayInMs)) * 100
  const start = placeOf(file.createdAt)
  const x = Math.max(start, placeOf(now))
  const hasToday = x <= 100 - fromLast
  return {
    days,
    start,
    width: placeOf(file.maxLifetimeAt) - start,
    hasFirst: !hasToday || x >= fromFirst,
    // 'today' is centred at its place. Near the left edge it moves to the right, so that it stays
    // inside the chart.
    today: hasToday ? { x, shift: -Math.min(50, 8 * x) } : null,
  }
}
