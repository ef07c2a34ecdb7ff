import { dayInMs, hourInMs } from './lifetime.ts'

export interface LifelineDates {
  createdAt: Date
  expiresAt: Date
  maxLifetimeAt: Date
}

/** The parts of the lifeline, each a fraction (0 to 1) of the time from creation to `maxLifetimeAt`. */
export interface Lifeline {
  /** Gone by. */
  lived: number
  /** The link works. */
  valid: number
  /** What a renewal could still give. */
  renewable: number
  /** How much time the link has: 24 hours or more, less, less than 1 hour, none. */
  tone: 'calm' | 'amber' | 'red' | 'over'
}

/**
 * How to draw a file's time at `now`. With `canRenew` the three parts sum to 1; without it
 * nothing is renewable, and what they leave of the 30 days stays empty.
 * A `now` before creation (a browser's clock that runs late) counts as the moment of creation.
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
    tone: left <= 0 ? 'over' : left < hourInMs ? 'red' : left < dayInMs ? 'amber' : 'calm',
  }
}
