import { type TimeTone, timeTone } from './time-left.ts'

export interface LifelineDates {
  createdAt: Date
  expiresAt: Date
  maxLifetimeAt: Date
}

/**
 * A file's time as three parts. Each is a fraction (0 to 1) of the time from creation to
 * `maxLifetimeAt`.
 */
export interface Lifeline {
  /** The time that has passed. */
  lived: number
  /** The time for which the link still works. */
  valid: number
  /** The time that a renewal could still add. */
  renewable: number
  /** How urgent the link's remaining time is. */
  tone: TimeTone
}

/**
 * Computes how to draw the time of a file at the moment `now`. With `canRenew`, the three parts sum
 * to 1. Without it, `renewable` is 0, and the bar stays empty after the end of the link. If `now`
 * is before the creation of the file, because a browser's clock is slow, the moment of creation is
 * used.
 */
export function lifeline(dates: LifelineDates, now: Date, canRenew: boolean): Lifeline {
  const start = dates.createdAt.getTime()
  const span = dates.maxLifetimeAt.getTime() - start
  const fraction = (moment: number) =>
    span > 0 ? Math.min(1, Math.max(0, (moment - start) / span)) : 1

  const left = Math.min(dates.expiresAt.getTime(), dates.maxLifetimeAt.getTime()) - now.getTime()
  const lived = fraction(now.getTime())
  const valid = left > 0 ? Math.max(0, fraction(dates.expiresAt.getTime()) - lived) : 0
  return {
    lived,
    valid,
    renewable: canRenew ? Math.max(0, 1 - lived - valid) : 0,
    tone: timeTone(left),
  }
}
