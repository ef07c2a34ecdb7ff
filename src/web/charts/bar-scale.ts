import { ticks } from 'd3-array'

/** One bar of a chart. */
export interface BarPoint {
  /** Example: 'Mon 9 Nov'. */
  label: string
  /** The name below the bar, on the axis. Example: '9 Nov'. */
  tick: string
  /** 0 or more. */
  value: number
}

/** About how many grid lines a chart has above its bottom line. */
const lineCount = 3
/** About how many bars have their name below them. */
const tickCount = 6

export interface BarScale {
  /** The value at the upper edge of the chart. It is 1 if all values are 0. */
  top: number
  /** The values of the horizontal grid lines. They are whole numbers and begin with 0. */
  lines: readonly number[]
  /** The index of the first highest bar; null if all values are 0. */
  peak: number | null
}

/** Computes the vertical scale of a chart. The highest bar reaches the upper edge. */
export function barScale(values: readonly number[]): BarScale {
  const largest = Math.max(0, ...values)
  const top = largest || 1
  return {
    top,
    lines: largest === 0 ? [0] : ticks(0, top, lineCount).filter(Number.isInteger),
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

/** The part of its slot that a bar fills. The rest is a gap. */
const filled = 0.68

/** Computes where one of `count` bars stands. `index` counts from 0. */
export function barPlace(index: number, count: number): BarPlace {
  const band = 100 / count
  const width = band * filled
  return { x: index * band + (band - width) / 2, width, middle: (index + 0.5) * band }
}

/**
 * Returns the indexes of the bars that have their name below them: the last bar, and bars at even
 * steps from the first that are not too close to it.
 */
export function axisTicks(count: number): number[] {
  if (count === 0) return []
  const step = Math.max(1, Math.ceil(count / tickCount))
  const last = count - 1
  const others = Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
  return [...others.filter((index) => last - index > step / 2), last]
}
