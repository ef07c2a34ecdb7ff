import { ticks } from 'd3-array'

/** One bar: what it stands for, in words of two lengths, and its value, 0 or more. */
export interface BarPoint {
  /** 'Mon 9 Nov' */
  label: string
  /** For the axis: '9 Nov' */
  tick: string
  value: number
}

/** About how many lines an axis has besides its foot. */
const wantedLines = 3
/** About how many words stand below the bars. */
const wantedTicks = 6

export interface BarScale {
  /** The value at the top. It is 1 where all bars are empty. */
  top: number
  /** The values of the lines across, whole numbers from 0 up. */
  lines: readonly number[]
  /** The first of the highest bars, or null where all are empty. */
  peak: number | null
}

/** Computes the vertical scale of some bars. The highest one reaches the top. */
export function barScale(values: readonly number[]): BarScale {
  const largest = Math.max(0, ...values)
  const top = largest || 1
  return {
    top,
    lines: largest === 0 ? [0] : ticks(0, top, wantedLines).filter(Number.isInteger),
    peak: largest === 0 ? null : values.indexOf(largest),
  }
}

/** A bar on a plot, in percent of its width. */
export interface BarPlace {
  x: number
  width: number
  middle: number
}

/** The part of its place that a bar fills. */
const filled = 0.68

/** Computes where the bar at `index` of `count` stands. */
export function barPlace(index: number, count: number): BarPlace {
  const band = 100 / count
  const width = band * filled
  return { x: index * band + (band - width) / 2, width, middle: (index + 0.5) * band }
}

/** Returns the bar at a place of the plot, from 0 at its left to 1 at its right. */
export function barAt(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(place * count)))
}

/**
 * Returns the bars whose words stand below them: the last one, and others at even steps from the
 * first, none so close to the last that the words would touch.
 */
export function axisTicks(count: number): number[] {
  if (count === 0) return []
  const step = Math.max(1, Math.ceil(count / wantedTicks))
  const last = count - 1
  const others = Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step)
  return [...others.filter((index) => last - index > step / 2), last]
}
