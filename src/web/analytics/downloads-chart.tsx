import { type DayCount, utcDay } from '../../shared/rules/format/day.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { dayText, weekdayText } from '../../shared/rules/format/timestamp-text.ts'
import { serverNow } from '../api/server-clock.ts'
import { BarChart } from '../charts/bar-chart.tsx'
import { ChartFigure } from '../charts/chart-figure.tsx'
import { summarizeDownloads } from './findings.ts'

const title = 'Downloads per day'
/** Shown until the first download. */
export const noDownloadsText =
  'Opening a download page does not count. The first download appears here.'

export interface DownloadsChartProps {
  days: readonly DayCount[]
  asTable: boolean
}

/** Shows downloads per day, as a bar chart or a table. */
export function DownloadsChart({ days, asTable }: DownloadsChartProps) {
  const today = utcDay(serverNow())
  const isEmpty = days.every(({ count }) => count === 0)
  return (
    <ChartFigure finding={summarizeDownloads(days, today)} title={title}>
      {asTable ? null : (
        <BarChart
          unit={['download', 'downloads']}
          points={days.map(({ day, count }) => ({
            label: weekdayText(day, today),
            tick: dayText(day, today),
            value: count,
          }))}
        />
      )}
      {isEmpty ? <p className="mt-4 text-muted">{noDownloadsText}</p> : null}
      <DownloadsTable caption={title} days={days} today={today} isShown={asTable} />
    </ChartFigure>
  )
}

export interface DownloadsTableProps {
  caption: string
  days: readonly DayCount[]
  /** The current day. Dates in its year are shown without the year. */
  today: string
  /** If false, the table is only available to screen readers. */
  isShown: boolean
}

/** Shows downloads per day as a table, latest first. */
export function DownloadsTable({ caption, days, today, isShown }: DownloadsTableProps) {
  return (
    <div className={isShown ? undefined : 'sr-only'}>
      <table className="chart-table">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" className="chart-number">
              Downloads
            </th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, count }) => (
            <tr key={day}>
              <th scope="row">{weekdayText(day, today)}</th>
              <td className="chart-number">{groupDigits(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
