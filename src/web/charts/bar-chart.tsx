import {
  type BarPoint,
  type BarScale,
  computeBarPosition,
  computeBarScale,
  selectAxisTicks,
} from './bar-scale.ts'
import './charts.css'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { formatShortCount } from './format-count.ts'

/** The height of the tallest bar, in pixels. The chart's width depends on its container. */
const plotHeight = 172
/** Space for the value above the tallest bar, in pixels. */
const headroom = 24
const height = plotHeight + headroom
/** The minimum height of a bar in pixels, which keeps every value above 0 visible. */
const minBarHeight = 2
/** Longer values would overlap their neighbors, so they are shown only above the tallest bar. */
const maxValueLength = 3
/** With more bars, only the tallest one shows its value. */
const maxLabeledBars = 45
/** Larger values don't fit above their bars in medium-width charts. */
const maxShortValue = 99

/** Returns a value's y coordinate, in pixels from the chart's top edge. */
function toY(value: number, { top }: BarScale): number {
  return height - (value / top) * plotHeight
}

export interface BarChartProps {
  /** The singular and plural of the unit, such as 'download' and 'downloads'. */
  unit: readonly [one: string, several: string]
  /** The bars from left to right. There must be at least one. */
  points: readonly BarPoint[]
}

/** A bar chart with an axis and a scale. Screen readers ignore it, so place a table next to it. */
export function BarChart({ points, unit }: BarChartProps) {
  const scale = computeBarScale(points.map(({ value }) => value))
  return (
    <div className="chart" aria-hidden="true">
      <div className="chart-lines">
        {scale.lines.map((line) => (
          <span key={line} style={{ top: toY(line, scale) }}>
            {formatShortCount(line)}
          </span>
        ))}
      </div>
      <BarPlot unit={unit} points={points} slots={points.length} scale={scale} hasLines />
      <div className="chart-axis">
        {selectAxisTicks(points.length).map((index, position, indexes) => (
          <span
            key={index}
            className={
              position % 2 === 1 && position < indexes.length - 1 ? 'chart-wide-only' : undefined
            }
            style={getLabelPosition(index, points.length)}
          >
            {points[index]?.tick}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Positions a label below its bar, shifted inward to stay inside the chart. */
function getLabelPosition(index: number, count: number) {
  const fraction = index / Math.max(1, count - 1)
  return {
    left: `${computeBarPosition(index, count).middle}%`,
    transform: `translateX(${-100 * fraction}%)`,
  }
}

export interface BarPlotProps extends BarChartProps {
  /** The number of bars that fit in the chart. Slots after the last bar stay empty. */
  slots: number
  scale: BarScale
  /** If true, draws a baseline and grid lines. */
  hasLines: boolean
}

/** A chart's bars, with their values and tooltips. */
export function BarPlot({ unit, points, slots, scale, hasLines }: BarPlotProps) {
  const isLabeled = (value: number) =>
    value > 0 && slots <= maxLabeledBars && formatShortCount(value).length <= maxValueLength
  return (
    <div className="chart-plot">
      <svg width="100%" height={height} aria-hidden="true">
        {(hasLines ? scale.lines : []).map((line) => {
          const y = toY(line, scale)
          return line === 0 ? null : (
            <line key={line} className="chart-grid" x1="0" x2="100%" y1={y} y2={y} />
          )
        })}
        {points.map(({ label, value }, index) => {
          const { x, width, middle } = computeBarPosition(index, slots)
          const barHeight =
            value === 0 ? 0 : Math.max(minBarHeight, (value / scale.top) * plotHeight)
          const isPeak = index === scale.peak
          const valueClass = value > maxShortValue ? 'chart-value chart-value-long' : 'chart-value'
          return (
            <g key={label}>
              <title>{`${label}: ${groupDigits(value)} ${value === 1 ? unit[0] : unit[1]}`}</title>
              <rect className="chart-hover" x={`${x}%`} width={`${width}%`} height={height} />
              <rect
                className="chart-mark"
                x={`${x}%`}
                width={`${width}%`}
                y={height - barHeight}
                height={barHeight}
                rx="2"
              />
              {isPeak || isLabeled(value) ? (
                <text
                  className={isPeak ? 'chart-peak' : valueClass}
                  x={`${middle}%`}
                  y={height - barHeight - 7}
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
      </svg>
    </div>
  )
}

/**
 * A decorative bar beside a number in a table cell.
 * @param part the bar's length as a fraction of the cell's width, from 0 to 1.
 */
export function ValueBar({ part }: { part: number }) {
  const width = part === 0 ? 0 : `max(3px, ${part * 100}%)`
  return (
    <svg className="chart-bar" aria-hidden="true">
      <rect style={{ width }} height="5" rx="2.5" />
    </svg>
  )
}
