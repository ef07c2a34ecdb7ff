import { BarPlot, type BarPlotProps, insidePlot, plotLine } from './bar-plot.tsx'
import { axisTicks, barScale } from './bar-scale.ts'
import { formatShortCount } from './format-count.ts'

export type BarChartProps = Pick<BarPlotProps, 'label' | 'unit' | 'points'>

/** A chart of bars over an axis, with a scale of values. `BarPlot` says how it is read. */
export function BarChart({ points, ...names }: BarChartProps) {
  const scale = barScale(points.map(({ value }) => value))
  return (
    <div className="chart">
      <div className="chart-lines" aria-hidden="true">
        {scale.lines.map((line) => (
          <span key={line} style={{ top: plotLine(line, scale) }}>
            {formatShortCount(line)}
          </span>
        ))}
      </div>
      <BarPlot {...names} points={points} places={points.length} scale={scale} hasLines />
      <div className="chart-axis" aria-hidden="true">
        {axisTicks(points.length).map((index, at, all) => (
          <span
            key={index}
            className={at % 2 === 1 && at < all.length - 1 ? 'chart-wide-only' : undefined}
            style={insidePlot(index, points.length)}
          >
            {points[index]?.tick}
          </span>
        ))}
      </div>
    </div>
  )
}
