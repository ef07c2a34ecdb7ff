import { type TimeTone, timeTone } from './link-status.ts'

export interface LifelineDates {
  createdAt: Date
  expiresAt: Date
  maxLifetimeAt: Date
}

/** A file's maximum lifetime in three parts, each a fraction from 0 to 1. */
export interface Lifeline {
  /** The fraction that has passed. */
  lived: number
  /** The fraction left until the link expires. */
  valid: number
  /** The fraction that a renewal could add. */
  renewable: number
  tone: TimeTone
}

/**
 * Computes a file's lifeline at `now`. If `canRenew`, the three parts add up to 1. Otherwise,
 * `renewable` is 0, which leaves the bar empty after the link's expiry. `now` may be before
 * `createdAt`, because the browser's clock may be slow.
 */
export function lifeline(dates: LifelineDates, now: Date, canRenew: boolean): Lifeline {
  const createdMs = dates.createdAt.getTime()
  const lifetimeMs = dates.maxLifetimeAt.getTime() - createdMs
  const toFraction = (timeMs: number) =>
    lifetimeMs > 0 ? Math.min(1, Math.max(0, (timeMs - createdMs) / lifetimeMs)) : 1

  const leftMs = Math.min(dates.expiresAt.getTime(), dates.maxLifetimeAt.getTime()) - now.getTime()
  const lived = toFraction(now.getTime())
  const valid = leftMs > 0 ? Math.max(0, toFraction(dates.expiresAt.getTime()) - lived) : 0
  return {
    lived,
    valid,
    renewable: canRenew ? Math.max(0, 1 - lived - valid) : 0,
    tone: timeTone(leftMs),
  }
}

/** A part of the bar, in percent of the bar's width. Parts with a width of 0 aren't drawn. */
export interface Span {
  x: number
  width: number
}

export interface LifelineBar {
  lived: Span
  valid: Span
  renewable: Span
}

/** The gap between parts and the minimum width of a part, in percent of the bar's width. */
const gap = 0.6
const minPartWidth = 2.2

/**
 * Computes where each part is drawn on the bar. Makes every nonzero part wide enough to be visible,
 * even if it represents only a minute. The extra width is taken from the next part or, for the last
 * part, from the previous one.
 */
export function lifelineBar(line: Lifeline): LifelineBar {
  const toVisibleWidth = (part: number) => (part > 0 ? Math.max(part * 100, minPartWidth) : 0)
  const valid = toVisibleWidth(line.valid)
  const lived = Math.min(toVisibleWidth(line.lived), 100 - valid)
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
