import { useQuery } from '@tanstack/react-query'
import { sum } from 'd3-array'
import { ChartColumn } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Analytics } from '../../shared/contract/analytics.ts'
import { utcDay } from '../../shared/rules/format/day.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { dayText } from '../../shared/rules/format/timestamp-text.ts'
import { call } from '../api/call.ts'
import { serverNow } from '../api/server-clock.ts'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadError, QueryContent } from '../ui/load-error.tsx'
import { Switch } from '../ui/switch.tsx'
import { AnalyticsLoading } from './analytics-loading.tsx'
import { DownloadsChart } from './downloads-chart.tsx'
import { KindsChart } from './kinds-chart.tsx'
import { MostDownloadedChart } from './most-downloaded-chart.tsx'

export interface AnalyticsSectionProps {
  /** A button shown if there is nothing to analyze yet. */
  emptyAction: ReactNode
  /** A link to the files that expire soon. */
  expiringLink: ReactNode
}

/** Reports whether the user has no files and had no downloads in the last 30 days. */
function isEmpty({ kinds, days, mostDownloaded }: Analytics): boolean {
  return mostDownloaded.length === 0 && [...kinds, ...days].every(({ count }) => count === 0)
}

/** The Analytics section (spec §2): files by kind, and downloads. */
export function AnalyticsSection({ emptyAction, expiringLink }: AnalyticsSectionProps) {
  const query = useQuery({
    queryKey: ['/api/analytics'],
    queryFn: ({ signal }) => call('GET /api/analytics', { signal }),
    refetchOnMount: 'always',
  })
  const { data } = query
  const [asTable, setAsTable] = useState(false)
  const isShown = data !== undefined && !isEmpty(data)
  return (
    <section aria-labelledby="analytics-heading">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 id="analytics-heading" tabIndex={-1} className="text-lg">
            Analytics
          </h2>
          {isShown ? (
            <p className="text-muted text-sm tabular-nums">
              {data.days.length} days to {dayText(data.days.at(-1)?.day ?? '', utcDay(serverNow()))}
              , each from midnight UTC
            </p>
          ) : null}
        </div>
        {isShown ? (
          <Switch label="Show as table" checked={asTable} onCheckedChange={setAsTable} />
        ) : null}
      </div>
      <QueryContent
        query={query}
        loading={<AnalyticsLoading />}
        failed={
          <LoadError query={query} title="The statistics could not be loaded">
            Your files and their links are not affected.
          </LoadError>
        }
      >
        {(analytics) =>
          isEmpty(analytics) ? (
            <NoStatistics action={emptyAction} />
          ) : (
            <Charts analytics={analytics} asTable={asTable} expiringLink={expiringLink} />
          )
        }
      </QueryContent>
    </section>
  )
}

interface ChartsProps {
  analytics: Analytics
  asTable: boolean
  expiringLink: ReactNode
}

function Charts({ analytics, asTable, expiringLink }: ChartsProps) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <Totals analytics={analytics} expiringLink={expiringLink} />
      <DownloadsChart days={analytics.days} asTable={asTable} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <KindsChart kinds={analytics.kinds} asTable={asTable} />
        <MostDownloadedChart files={analytics.mostDownloaded} asTable={asTable} />
      </div>
    </div>
  )
}

function NoStatistics({ action }: { action: ReactNode }) {
  return (
    <Card>
      <EmptyState icon={<ChartColumn />} title="No data yet" action={action}>
        Upload a file and send its link. Downloads per day, kinds and sizes appear here.
      </EmptyState>
    </Card>
  )
}

/** Downloads in this many days are compared with those in the same number of days before. */
const recentDays = 7

function Totals({
  analytics: { kinds, days, expiringSoon },
  expiringLink,
}: Omit<ChartsProps, 'asTable'>) {
  const countDownloads = (from: number, to?: number) =>
    sum(days.slice(from, to), ({ count }) => count)
  return (
    <Card>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(9rem,100%),1fr))]">
        <Total name="Files" value={sum(kinds, ({ count }) => count)}>
          {formatSize(sum(kinds, ({ size }) => size))} in storage
        </Total>
        <Total name="Downloads" value={countDownloads(0)}>
          in {days.length} days
        </Total>
        <Total name={`Last ${recentDays} days`} value={countDownloads(-recentDays)}>
          {groupDigits(countDownloads(-2 * recentDays, -recentDays))} in the {recentDays} before
        </Total>
        <Total name="Expiring soon" value={expiringSoon} isUrgent={expiringSoon > 0}>
          within 24 hours
          {expiringSoon > 0 ? (
            <>
              <span className="max-sm:hidden"> ·</span> {expiringLink}
            </>
          ) : null}
        </Total>
      </dl>
    </Card>
  )
}

interface TotalProps {
  name: string
  value: number
  children: ReactNode
  isUrgent?: boolean
}

function Total({ name, value, children, isUrgent = false }: TotalProps) {
  return (
    <div className="px-5 py-4 tabular-nums sm:px-6">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className={`font-[620] text-2xl ${isUrgent ? 'text-amber' : ''}`}>
        {groupDigits(value)}
      </dd>
      <dd className="text-muted text-sm">{children}</dd>
    </div>
  )
}
