import { type DayCount, dayOf } from '../../shared/rules/format/day.ts'
import { dayText, weekdayText } from '../../shared/rules/format/moment-text.ts'
import { serverNow } from '../api/look-again.ts'
import { BarChart } from '../charts/bar-chart.tsx'
import { ChartFigure } from '../charts/chart-figure.tsx'
import { DownloadsTable } from './downloads-table.tsx'
import { downloadsFinding } from './findings.ts'

const title = 'Downloads per day'

export interface DownloadsChartProps {
  days: readonly DayCount[]
  asTable: boolean
}

/**
 * The downloads of each day, as bars and as a table. While the bars are shown, the table is there
 * for screen readers only.
 */
export function DownloadsChart({ days, asTable }: DownloadsChartProps) {
  const today = dayOf(serverNow())
  const isEmpty = days.every(({ count }) => count === 0)
  return (
    <ChartFigure finding={downloadsFinding(days, today)} title={title}>
      {asTable ? null : (
        <BarChart
          label={title}
          unit={['download', 'downloads']}
          points={days.map(({ day, count }) => ({
            label: weekdayText(day, today),
            tick: dayText(day, today),
            value: count,
          }))}
        />
      )}
      {isEmpty ? (
        <p className="mt-4 text-muted">
          Opening a download page does not count. The first download appears here.
        </p>
      ) : null}
      <DownloadsTable caption={title} days={days} today={today} isShown={asTable} />
    </ChartFigure>
  )
}
