import { ticks } from 'd3-array'

/**
 * One bar of a chart. `label` and `tick` are a long and a short name of what it counts. `value` is
 * 0 or more.
 */
export interface BarPoint {
  /** Example: 'Mon 9 Nov'. */
  label: string
  /** The name below the bar, on the axis. Example: '9 Nov'. */
  tick: string
  value: number
}

/** A chart has about this many horizontal grid lines, besides the line at its bottom. */
const wantedLines = 3
/** About this many bars have their name below them. More names would not fit. */
const wantedTicks = 6

export interface BarScale {
  /** The value at the upper edge of the chart. It is 1 if all values are 0. */
  top: number
  /** The values of the horizontal grid lines. They are whole numbers and begin with 0. */
  lines: readonly number[]
  /**
   * The index of the highest bar, or of the first one if several are equal. null if all values are
   * 0.
   */
  peak: number | null
}

/** Computes the vertical scale of a chart. The highest bar reaches the upper edge. */
export function barScale(values: readonly number[]): BarScale {
  const largest = Math.max(0, ...values)
  const top = largest || 1
  return {
    top,
    lines: largest === 0 ? [0] : ticks(0, top, wantedLines).filter(Number.isInteger),
    peak: largest === 0 ? null : values.indexOf(largest),
  }
}

/**
 * Where a bar stands, in percent of the chart's width: its left edge, its width, and its middle.
 */
export interface BarPlace {
  x: number
  width: number
  middle: number
}

/**
 * All bars get equal shares of the width. A bar fills this part of its share, and the rest is a
 * gap.
 */
const filled = 0.68

/** Computes where one of `count` bars stands. `index` counts from 0. */
export function barPlace(index: number, count: number): BarPlace {
  const band = 100 / count
  const width = band * filled
  return { x: index * band + (band - width) / 2, width, middle: (index + 0.5) * band }
}

/**
 * Returns the index of the bar at a place of the chart. The place is 0 at the left edge, 1 at the
 * right edge.
 */
export function barAt(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(place * count)))
}

/**
 * Returns the indexes of the bars that have their name below them: the last bar, and bars at even
 * steps from the first. A bar close to the last one has no name below it, because the two names
 * would touch.
 */
export function axisTicks(count: number): number[] {
  if (count === 0) return []
  const step = Math.max(1, Math.ceil(count / wantedTicks))
  const last = count - 1
  const others = Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
  return [...others.filter((index) => last - index > step / 2), last]
}
