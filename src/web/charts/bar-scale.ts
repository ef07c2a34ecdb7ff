import { ticks } from 'd3-array'

export interface BarPoint {
  /** The bar's name in its tooltip, such as 'Mon 9 Nov'. */
  label: string
  /** The label below the bar, such as '9 Nov'. */
  tick: string
  /** Must not be negative. */
  value: number
}

/** Approximate number of grid lines above the baseline. */
const gridLineCount = 3
/** Approximate number of bars with a label on the axis. */
const tickCount = 6

export interface BarScale {
  /** The value at the chart's top edge; 1 if all values are 0. */
  top: number
  /** The values of the grid lines: whole numbers, starting at 0. */
  lines: readonly number[]
  /** The index of the first bar with the largest value, or null if all values are 0. */
  peak: number | null
}

/** Computes a chart's vertical scale. The tallest bar reaches the top edge. */
export function computeBarScale(values: readonly number[]): BarScale {
  const largest = Math.max(0, ...values)
  const top = largest || 1
  return {
    top,
    lines: largest === 0 ? [0] : ticks(0, top, gridLineCount).filter(Number.isInteger),
    peak: largest === 0 ? null : values.indexOf(largest),
  }
}

/** A bar's left edge, width and center, as percentages of the chart's width. */
export interface BarPosition {
  x: number
  width: number
  middle: number
}

/** The fraction of a slot's width that its bar fills. */
const barFraction = 0.68

/** Computes the position of the bar at `index` (zero-based) in a chart of `count` bars. */
export function computeBarPosition(index: number, count: number): BarPosition {
  const slotWidth = 100 / count
  const width = slotWidth * barFraction
  return {
    x: index * slotWidth + (slotWidth - width) / 2,
    width,
    middle: (index + 0.5) * slotWidth,
  }
}

/**
 * Returns the indexes of the bars to label on the axis: evenly spaced bars starting with the first,
 * plus the last. Bars too close to the last one are skipped.
 */
export function selectAxisTicks(count: number): number[] {
  if (count === 0) return []
  const step = Math.max(1, Math.ceil(count / tickCount))
  const lastIndex = count - 1
  const evenlySpacedTicks = Array.from(
    { length: Math.ceil(count / step) },
    (_, position) => position * step,
  )
  return [...evenlySpacedTicks.filter((index) => lastIndex - index > step / 2), lastIndex]
}
