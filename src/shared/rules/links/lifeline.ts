import { type TimeTone, timeTone } from './link-status.ts'

export interface LifelineDates {
  createdAt: Date
  expiresAt: Date
  maxLifetimeAt: Date
}

/** A file's maximum lifetime in three parts, each a fraction from 0 to 1. */
export interface Lifeline {
  /** Time that has passed. */
  lived: number
  /** Time until the link expires. */
  valid: number
  /** Time that a renewal could add. */
  renewable: number
  tone: TimeTone
}

/**
 * Computes the lifeline of a file at `now`. If `canRenew`, the parts sum to 1. Otherwise,
 * `renewable` is 0 and the bar is empty after the link's expiry. Tolerates a slow browser clock,
 * with `now` before `createdAt`.
 */
export function lifeline(dates: LifelineDates, now: Date, canRenew: boolean): Lifeline {
  const start = dates.createdAt.getTime()
  const lifetimeMs = dates.maxLifetimeAt.getTime() - start
  const fraction = (time: number) =>
    lifetimeMs > 0 ? Math.min(1, Math.max(0, (time - start) / lifetimeMs)) : 1

  const leftMs = Math.min(dates.expiresAt.getTime(), dates.maxLifetimeAt.getTime()) - now.getTime()
  const lived = fraction(now.getTime())
  const valid = leftMs > 0 ? Math.max(0, fraction(dates.expiresAt.getTime()) - lived) : 0
  return {
    lived,
    valid,
    renewable: canRenew ? Math.max(0, 1 - lived - valid) : 0,
    tone: timeTone(leftMs),
  }
}

/** A part of the bar, in percent of its width. Parts of width 0 are not drawn. */
export interface Span {
  x: number
  width: number
}

export interface LifelineBar {
  lived: Span
  valid: Span
  renewable: Span
}

/** The gap between parts and the minimum width of a part, in percent of the bar. */
const gap = 0.6
const minPartWidth = 2.2

/**
 * Computes the positions of the parts on the bar. Makes every nonzero part wide enough to be
 * visible, even with one minute left. The extra width comes from the next part or, at the very end,
 * from the previous one.
 */
export function lifelineBar(line: Lifeline): LifelineBar {
  const visibleWidth = (part: number) => (part > 0 ? Math.max(part * 100, minPartWidth) : 0)
  const valid = visibleWidth(line.valid)
  const lived = Math.min(visibleWidth(line.lived), 100 - valid)
  const end = Math.min(100, lived + valid)
  return {
    lived: makeSpan(0, lived - (valid > 0 || line.renewable > 0 ? gap : 0)),
    valid: makeSpan(lived, valid - (line.renewable > 0 ? gap : 0)),
    renewable: makeSpan(end, line.renewable > 0 ? 100 - end : 0),
  }
}

function roundToHundredths(percent: number) {
  return Math.round(percent * 100) / 100
}

function makeSpan(x: number, width: number): Span {
  return {
    x: roundToHundredths(x),
    width: roundToHundredths(Math.max(0, width)),
  }
}
