import { type DayCount, dayOf, daysBetween, startOfDay } from '../../shared/rules/format/day.ts'
import { dayText, localDayText, weekdayText } from '../../shared/rules/format/moment-text.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'
import { type LifelineDates, lifeline } from '../../shared/rules/links/lifeline.ts'
import { BarPlot } from '../charts/bar-chart.tsx'
import { barScale } from '../charts/bar-scale.ts'
import { BareChartFigure } from '../charts/chart-figure.tsx'
import { Lifeline } from '../files/lifeline.tsx'
import { DownloadsTable, noDownloadsText } from './downloads-chart.tsx'
import { downloadsFinding } from './findings.ts'

const title = 'Downloads per day'

export interface LifeChartProps {
  /** Every day from the upload to today, or to the end of the file's longest life. */
  days: readonly DayCount[]
  dates: LifelineDates
  /** True if the link of the file can be renewed. */
  canRenew: boolean
  now: Date
  asTable: boolean
}

/**
 * Shows the downloads of a file on each day as bars on its lifeline, which goes from the upload to
 * the end of its longest life, or as a table.
 */
export function LifeChart({ days, dates, canRenew, now, asTable }: LifeChartProps) {
  const today = dayOf(now)
  const isEmpty = days.every(({ count }) => count === 0)
  return (
    <BareChartFigure finding={downloadsFinding(days, today)} title={title}>
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
              slots={Math.max(days.length, lifeAxis(dates, now).days)}
              scale={barScale(days.map(({ count }) => count))}
              hasLines={false}
            />
          )}
          <Life {...{ dates, canRenew, now }} />
        </div>
      )}
      <DownloadsTable caption={title} days={days} today={today} isShown={asTable} />
    </BareChartFigure>
  )
}

/** The lifeline that the bars stand on, and the names of its moments. */
function Life({ dates, canRenew, now }: Pick<LifeChartProps, 'dates' | 'canRenew' | 'now'>) {
  const { start, width, hasFirst, today } = lifeAxis(dates, now)
  return (
    <>
      <div className="mt-1" style={{ marginInlineStart: `${start}%`, width: `${width}%` }}>
        <Lifeline life={lifeline(dates, now, canRenew)} size="wide" />
      </div>
      <div className="chart-axis" aria-hidden="true">
        {hasFirst ? (
          <span style={{ left: 0 }}>{dayText(dayOf(dates.createdAt), dayOf(now))}</span>
        ) : null}
        {today ? (
          <span style={{ left: `${today.x}%`, transform: `translateX(${today.shift}%)` }}>
            today
          </span>
        ) : null}
        <span style={{ right: 0 }}>
          <span className="chart-wide-only">gone for good </span>
          {localDayText(dates.maxLifetimeAt, now)}
        </span>
      </div>
    </>
  )
}

/**
 * The axis below the downloads of a file: all days of UTC that the file's longest life touches. The
 * life begins within the first day and ends within the last one. Places are in percent of the axis.
 */
export interface LifeAxis {
  /** How many days the axis has. */
  days: number
  /** Where the file's life begins, and how much of the axis it takes. */
  start: number
  width: number
  /** True if the name of the first day has room below the axis. The end always has its name. */
  hasFirst: boolean
  /** Where the name 'today' stands; null if it has no room. */
  today: { x: number; shift: number } | null
}

/** The least distance of 'today' from the start and from the end of the axis, in percent. */
const [fromFirst, fromLast] = [20, 28]

/**
 * Computes the axis of a file's life at the moment `now`. If 'today' is close to the first day, it
 * takes the place of that day's name. Close to the end there is no 'today'.
 */
export function lifeAxis(file: Omit<LifelineDates, 'expiresAt'>, now: Date): LifeAxis {
  const first = dayOf(file.createdAt)
  const days = daysBetween(first, dayOf(file.maxLifetimeAt)).length
  const begin = startOfDay(first).getTime()
  const placeOf = (moment: Date) => ((moment.getTime() - begin) / (days * dayInMs)) * 100
  const start = placeOf(file.createdAt)
  const x = Math.max(start, placeOf(now))
  const hasToday = x <= 100 - fromLast
  return {
    days,
    start,
    width: placeOf(file.maxLifetimeAt) - start,
    hasFirst: !hasToday || x >= fromFirst,
    // 'today' is centred at its place. Near the left edge it moves to the right, so that it stays
    // inside the chart.
    today: hasToday ? { x, shift: -Math.min(50, 8 * x) } : null,
  }
}
