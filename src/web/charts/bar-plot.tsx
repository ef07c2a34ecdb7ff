import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { type BarPoint, type BarScale, barAt, barPlace } from './bar-scale.ts'
import './charts.css'
import { formatCount, formatShortCount } from './format-count.ts'

/** The height in pixels that the highest bar has. The chart is as wide as its container. */
const plotHeight = 172
/**
 * The space in pixels above the highest bar. The bar's value stands in it. The box of the reading
 * point (see `BarPlot`) is above that value.
 */
const headroom = 34
const height = plotHeight + headroom
/** The least height of a bar in pixels, so that a person can see every value above 0. */
const leastHeight = 2
/**
 * Only values of at most this many characters are written above their bars. Longer ones would touch
 * the values beside them. The highest bar always has its value.
 */
const longestValue = 3
/** With more bars than this, only the highest one has its value. The others have no room. */
const mostWritten = 45
/** In charts of medium width, only values up to this one have room above their bars. */
const mostShort = 99
/**
 * The lower edge of the reading point's box is this many pixels below the upper edge of the plot.
 * All values above bars are written lower than that.
 */
const tipFoot = 12

/** Returns how many pixels below the upper edge of a plot this value is drawn. */
export function plotLine(value: number, { top }: BarScale): number {
  return height - (value / top) * plotHeight
}

export interface BarPlotProps {
  /** What is counted, for screen readers: 'Downloads per day'. */
  label: string
  /** The noun after a value, for 1 and for any other number: 'download', 'downloads'. */
  unit: readonly [one: string, several: string]
  /** The bars from left to right, at least one. */
  points: readonly BarPoint[]
  /** How many bars have room. The places after the last bar stay empty. */
  places: number
  scale: BarScale
  /** Draws a line under the bars, and the grid lines of the scale. */
  hasLines: boolean
}

/**
 * The bars of a chart. They have a reading point, which shows the value of one bar. The arrow keys,
 * Page Up, Page Down, Home, End and the pointer move the reading point, and screen readers read it
 * as a slider. The page must have a table of the same numbers beside the chart.
 */
export function BarPlot({ label, unit, points, places, scale, hasLines }: BarPlotProps) {
  const [chosen, setPoint] = useState(points.length - 1)
  const [isShown, setShown] = useState(false)
  const point = Math.min(chosen, points.length - 1)
  const read = points[point]
  const heightOf = (value: number) =>
    value === 0 ? 0 : Math.max(leastHeight, (value / scale.top) * plotHeight)

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setShown(false)
    const moved = movedPoint(event.key, point, points.length)
    if (moved === null || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    setPoint(moved)
    setShown(true)
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const under = barAt((event.clientX - left) / width, places)
    setPoint(Math.min(under, points.length - 1))
    setShown(true)
  }
  const wordsOf = (value: number) => `${formatCount(value)} ${value === 1 ? unit[0] : unit[1]}`
  const hasRoom = (value: number) =>
    value > 0 && places <= mostWritten && formatShortCount(value).length <= longestValue

  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={point + 1}
      aria-valuetext={read && `${read.label}: ${wordsOf(read.value)}`}
      className="chart-plot"
      onKeyDown={onKeyDown}
      onFocus={() => setShown(true)}
      onBlur={() => setShown(false)}
      onPointerMove={onPointerMove}
      onPointerDown={onPointerMove}
      onPointerLeave={() => setShown(false)}
    >
      <svg width="100%" height={height} aria-hidden="true">
        {(hasLines ? scale.lines : []).map((line) => {
          const y = plotLine(line, scale)
          return line === 0 ? null : (
            <line key={line} className="chart-grid" x1="0" x2="100%" y1={y} y2={y} />
          )
        })}
        {points.map(({ label, value }, index) => {
          const { x, width, middle } = barPlace(index, places)
          const tall = heightOf(value)
          const isPeak = index === scale.peak
          // At the reading point, a box above the chart shows the value. So it is not written
          // above this bar, where a line leads to the box.
          const isRead = isShown && index === point
          return (
            <g key={label}>
              <rect
                className="chart-mark"
                x={`${x}%`}
                width={`${width}%`}
                y={height - tall}
                height={tall}
                rx="2"
              />
              {!isRead && (isPeak || hasRoom(value)) ? (
                <text
                  className={isPeak ? 'chart-peak' : valueClass(value)}
                  x={`${middle}%`}
                  y={height - tall - 7}
                >
                  {formatShortCount(value)}
                </text>
              ) : null}
            </g>
          )
        })}
        {hasLines ? (
          <line className="chart-foot" x1="0" x2="100%" y1={height - 0.5} y2={height - 0.5} />
        ) : null}
        {isShown && read ? (
          <ReadingPoint index={point} count={places} tall={heightOf(read.value)} />
        ) : null}
      </svg>
      {isShown && read ? (
        <div
          className="chart-tip"
          aria-hidden="true"
          style={{ ...insidePlot(point, places), bottom: height - tipFoot }}
        >
          {read.label} <b>{formatCount(read.value)}</b>
        </div>
      ) : null}
    </div>
  )
}

function valueClass(value: number): string {
  return value <= mostShort ? 'chart-value' : 'chart-value chart-value-long'
}

/**
 * Returns the style that places the box of the reading point, or a name on the axis, at a bar. At
 * the first bar the text begins at the bar's middle, and at the last bar it ends there. So it stays
 * inside the plot.
 */
export function insidePlot(index: number, count: number) {
  const part = index / Math.max(1, count - 1)
  return {
    left: `${barPlace(index, count).middle}%`,
    transform: `translateX(${-100 * part}%)`,
  }
}

/** Draws a frame around the bar at the reading point, and a line from there to its box. */
function ReadingPoint({ index, count, tall }: { index: number; count: number; tall: number }) {
  const { x, width, middle } = barPlace(index, count)
  const around = width * 0.18
  const top = height - tall - 4
  return (
    <>
      <line className="chart-guide" x1={`${middle}%`} x2={`${middle}%`} y1={tipFoot} y2={top} />
      <rect
        className="chart-point"
        x={`${x - around}%`}
        width={`${width + 2 * around}%`}
        y={top}
        height={tall + 3}
        rx="3"
      />
    </>
  )
}

/** Page Up and Page Down move the reading point by this many bars. */
const leap = 7

/**
 * The reading point of a chart is the bar whose value a box shows. Returns the index of the bar to
 * which a key moves the reading point from bar `index` of `count`; null for any other key.
 */
export function movedPoint(key: string, index: number, count: number): number | null {
  const within = (wanted: number) => Math.min(count - 1, Math.max(0, wanted))
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return within(index - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return within(index + 1)
    case 'PageDown':
      return within(index - leap)
    case 'PageUp':
      return within(index + leap)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
