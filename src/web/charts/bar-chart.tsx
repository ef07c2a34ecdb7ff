import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { axisTicks, type BarPoint, barAt, barPlace, barScale } from './bar-scale.ts'
import './charts.css'
import { formatCount, formatShortCount } from './format-count.ts'
import { movedPoint } from './reading-point.ts'

/** In pixels. The width is that of the container. */
const plotHeight = 172
/** Room above the highest bar, for its value. */
const headroom = 24
const height = plotHeight + headroom
/** A value that is not 0 can be seen. */
const leastHeight = 2
/** Longer numbers would touch each other. */
const longestValue = 3

export interface BarChartProps {
  /** What is counted, for screen readers: 'Downloads per day'. */
  label: string
  /** What a value counts, of one and of several: 'download', 'downloads'. */
  unit: readonly [one: string, several: string]
  /** In the order of the axis, at least one. */
  points: readonly BarPoint[]
}

/**
 * Bars over an axis. A reading point tells the value of one bar: the arrow keys, Home, End and the
 * pointer move it, and screen readers read it as the value of a slider. A table of the same numbers
 * must stand beside the chart.
 */
export function BarChart({ label, unit, points }: BarChartProps) {
  const [chosen, setPoint] = useState(points.length - 1)
  const [isShown, setShown] = useState(false)
  const point = Math.min(chosen, points.length - 1)
  const read = points[point]
  const scale = barScale(points.map(({ value }) => value))
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
    setPoint(barAt((event.clientX - left) / width, points.length))
    setShown(true)
  }
  const wordsOf = (value: number) => `${formatCount(value)} ${value === 1 ? unit[0] : unit[1]}`

  return (
    <div className="chart">
      <div className="chart-lines" aria-hidden="true">
        {scale.lines.map((line) => (
          <span key={line} style={{ top: height - (line / scale.top) * plotHeight }}>
            {formatShortCount(line)}
          </span>
        ))}
      </div>
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
          {scale.lines.map((line) => {
            const y = height - (line / scale.top) * plotHeight
            return line === 0 ? null : (
              <line key={line} className="chart-grid" x1="0" x2="100%" y1={y} y2={y} />
            )
          })}
          {points.map(({ label, value }, index) => {
            const { x, width, middle } = barPlace(index, points.length)
            const tall = heightOf(value)
            const text = formatShortCount(value)
            const isPeak = index === scale.peak
            // The tip of the reading point stands there, with the same number.
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
                {!isRead && (isPeak || (value > 0 && text.length <= longestValue)) ? (
                  <text
                    className={isPeak ? 'chart-peak' : 'chart-value'}
                    x={`${middle}%`}
                    y={height - tall - 7}
                  >
                    {text}
                  </text>
                ) : null}
              </g>
            )
          })}
          <line className="chart-foot" x1="0" x2="100%" y1={height - 0.5} y2={height - 0.5} />
          {isShown && read ? (
            <ReadingPoint index={point} count={points.length} tall={heightOf(read.value)} />
          ) : null}
        </svg>
        {isShown && read ? (
          <div
            className="chart-tip"
            aria-hidden="true"
            style={{ ...inside(point, points.length), bottom: heightOf(read.value) + 10 }}
          >
            {read.label} <b>{formatCount(read.value)}</b>
          </div>
        ) : null}
      </div>
      <div className="chart-axis" aria-hidden="true">
        {axisTicks(points.length).map((index, at, all) => (
          <span
            key={index}
            className={at % 2 === 1 && at < all.length - 1 ? 'chart-wide-only' : undefined}
            style={inside(index, points.length)}
          >
            {points[index]?.tick}
          </span>
        ))}
      </div>
    </div>
  )
}

/**
 * Places words at a bar. At the left of the plot they begin there, at its right they end there, so
 * that they stay inside.
 */
function inside(index: number, count: number) {
  const part = index / Math.max(1, count - 1)
  return {
    left: `${barPlace(index, count).middle}%`,
    transform: `translateX(${-100 * part}%)`,
  }
}

/** The frame around the bar that is read. */
function ReadingPoint({ index, count, tall }: { index: number; count: number; tall: number }) {
  const { x, width } = barPlace(index, count)
  const around = width * 0.18
  return (
    <rect
      className="chart-point"
      x={`${x - around}%`}
      width={`${width + 2 * around}%`}
      y={height - tall - 4}
      height={tall + 3}
      rx="3"
    />
  )
}
