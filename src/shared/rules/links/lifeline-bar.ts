import type { Lifeline } from './lifeline.ts'

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
