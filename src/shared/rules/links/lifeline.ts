import { type TimeTone, timeTone } from './link-status.ts'

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

/** A part of the bar, in percent of the bar's width. A part of width 0 is not drawn. */
export interface Span {
  x: number
  width: number
}

export interface LifelineBar {
  lived: Span
  valid: Span
  renewable: Span
}

/** The gap between two parts of the bar, and the smallest width of a part, in percent. */
const gap = 0.6
const least = 2.2

/**
 * Computes where the parts of a file's time are on a bar. Every part that is not 0 is wide enough
 * to be seen. So a link with one minute left still shows a thin strip. The strip takes its width
 * from the part after it or, at the very end, from the part before it.
 */
export function lifelineBar(life: Lifeline): LifelineBar {
  const shown = (part: number) => (part > 0 ? Math.max(part * 100, least) : 0)
  const valid = shown(life.valid)
  const lived = Math.min(shown(life.lived), 100 - valid)
  const end = Math.min(100, lived + valid)
  return {
    lived: span(0, lived - (valid > 0 || life.renewable > 0 ? gap : 0)),
    valid: span(lived, valid - (life.renewable > 0 ? gap : 0)),
    renewable: span(end, life.renewable > 0 ? 100 - end : 0),
  }
}

function hundredths(percent: number) {
  return Math.round(percent * 100) / 100
}

function span(x: number, width: number): Span {
  return {
    x: hundredths(x),
    width: hundredths(Math.max(0, width)),
  }
}
