import { type DayCount, daysBetween, startOfDay, utcDay } from '../../shared/rules/format/day.ts'
import { dayText, localDayText, weekdayText } from '../../shared/rules/format/timestamp-text.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { type LifelineDates, lifeline } from '../../shared/rules/links/lifeline.ts'
import { BarPlot } from '../charts/bar-chart.tsx'
import { computeBarScale } from '../charts/bar-scale.ts'
import { BareChartFigure } from '../charts/chart-figure.tsx'
import { Lifeline } from '../files/lifeline.tsx'
import { DownloadsTable, noDownloadsText } from './downloads-chart.tsx'
import { summarizeDownloads } from './findings.ts'

const title = 'Downloads per day'

export interface LifelineChartProps {
  /**
   * Downloads per day from the upload to today, or to the end of the maximum lifetime if that is
   * earlier.
   */
  days: readonly DayCount[]
  dates: LifelineDates
  canRenew: boolean
  now: Date
  asTable: boolean
}

/**
 * Shows a file's downloads per day, as bars above its lifeline or as a table. The axis runs from
 * the upload to the end of the file's maximum lifetime.
 */
export function LifelineChart({ days, dates, canRenew, now, asTable }: LifelineChartProps) {
  const today = utcDay(now)
  const isEmpty = days.every(({ count }) => count === 0)
  return (
    <BareChartFigure finding={summarizeDownloads(days, today)} title={title}>
      {isEmpty ? <p className="mb-5 text-muted">{noDownloadsText}</p> : null}
      {asTable ? null : (
        <div className="chart chart-bare">
          {isEmpty ? null : (
            <BarPlot
              unit={['download', 'downloads']}
              points={days.map(({ day, count }) => ({
                label: weekdayText(day, today),
                tick: '',
                value: count,
              }))}
              slots={Math.max(days.length, computeLifeAxis(dates).days)}
              scale={computeBarScale(days.map(({ count }) => count))}
              hasLines={false}
            />
          )}
          <LifelineWithDates {...{ dates, canRenew, now }} />
        </div>
      )}
      <DownloadsTable caption={title} days={days} today={today} isShown={asTable} />
    </BareChartFigure>
  )
}

function LifelineWithDates({
  dates,
  canRenew,
  now,
}: Pick<LifelineChartProps, 'dates' | 'canRenew' | 'now'>) {
  const { start, width } = computeLifeAxis(dates)
  return (
    <>
      <div className="mt-1" style={{ marginInlineStart: `${start}%`, width: `${width}%` }}>
        <Lifeline state={lifeline(dates, now, canRenew)} size="wide" />
      </div>
      <div className="chart-axis" aria-hidden="true">
        <span style={{ left: 0 }}>{dayText(utcDay(dates.createdAt), utcDay(now))}</span>
        <span style={{ right: 0 }}>
          <span className="chart-wide-only">deleted </span>
          {localDayText(dates.maxLifetimeAt, now)}
        </span>
      </div>
    </>
  )
}

/**
 * Returns the chart's axis: how many UTC days the file's maximum lifetime spans, and where on that
 * axis the lifeline starts and how wide it is, in percent.
 */
export function computeLifeAxis({ createdAt, maxLifetimeAt }: Omit<LifelineDates, 'expiresAt'>) {
  const firstDay = utcDay(createdAt)
  const days = daysBetween(firstDay, utcDay(maxLifetimeAt)).length
  const toPercent = (ms: number) => (ms / (days * dayInMs)) * 100
  return {
    days,
    start: toPercent(createdAt.getTime() - startOfDay(firstDay).getTime()),
    width: toPercent(maxLifetimeAt.getTime() - createdAt.getTime()),
  }
}
