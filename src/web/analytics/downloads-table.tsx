import type { DayCount } from '../../shared/rules/format/day.ts'
import { weekdayText } from '../../shared/rules/format/moment-text.ts'
import { formatCount } from '../charts/format-count.ts'

export interface DownloadsTableProps {
  caption: string
  days: readonly DayCount[]
  /** The day whose year is left out. */
  today: string
  /** If it is false, only screen readers find the table. */
  isShown: boolean
}

/** The downloads of each day as a table, the last day first. */
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
              <td className="chart-number">{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
