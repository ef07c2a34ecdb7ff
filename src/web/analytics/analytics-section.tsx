import { useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Analytics } from '../../shared/contract/analytics.ts'
import { dayOf } from '../../shared/rules/format/day.ts'
import { dayText } from '../../shared/rules/format/moment-text.ts'
import { call } from '../api/call.ts'
import { serverNow } from '../api/look-again.ts'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { Switch } from '../ui/switch.tsx'
import { AnalyticsLoading } from './analytics-loading.tsx'
import { DownloadsChart } from './downloads-chart.tsx'
import { KindsChart } from './kinds-chart.tsx'
import { MostDownloadedChart } from './most-downloaded-chart.tsx'
import { Totals } from './totals.tsx'

export interface AnalyticsSectionProps {
  /** A button for a user who has no files yet. */
  emptyAction: ReactNode
  /** A link to the files whose links end soon. */
  expiringLink: ReactNode
}

/**
 * Tells whether there is nothing to show: the user has no file that is active or could be renewed,
 * there was no download in the last 30 days, and no file in the user's list was ever downloaded.
 */
function isEmpty({ kinds, days, mostDownloaded }: Analytics): boolean {
  return mostDownloaded.length === 0 && [...kinds, ...days].every(({ count }) => count === 0)
}

/**
 * Shows which kinds of files a user has, and how often they were downloaded (spec §2, Analytics).
 */
export function AnalyticsSection({ emptyAction, expiringLink }: AnalyticsSectionProps) {
  const { data, isError, isFetching, refetch } = useAnalytics()
  const [asTable, setAsTable] = useState(false)
  const content = () => {
    if (data) {
      if (isEmpty(data)) return <NothingToCount action={emptyAction} />
      return <Charts analytics={data} asTable={asTable} expiringLink={expiringLink} />
    }
    if (isError) {
      return (
        <LoadFailed
          title="The statistics could not be loaded"
          onRetry={() => void refetch()}
          pending={isFetching}
        >
          Your files and their links are not affected.
        </LoadFailed>
      )
    }
    return <AnalyticsLoading />
  }
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
              {data.days.length} days to {dayText(data.days.at(-1)?.day ?? '', dayOf(serverNow()))},
              each from midnight UTC
            </p>
          ) : null}
        </div>
        {isShown ? (
          <Switch label="Show as table" checked={asTable} onCheckedChange={setAsTable} />
        ) : null}
      </div>
      {content()}
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

function NothingToCount({ action }: { action: ReactNode }) {
  return (
    <Card>
      <EmptyState icon={<ChartColumn />} title="No data yet" action={action}>
        Upload a file and send its link. Downloads per day, kinds and sizes appear here.
      </EmptyState>
    </Card>
  )
}

/**
 * Reads the user's analytics. Data is never stale by itself (spec §9), but a person who opens the
 * tab expects current numbers, so it is read anew each time.
 */
function useAnalytics() {
  return useQuery({
    queryKey: ['/api/analytics'],
    queryFn: ({ signal }) => call('analytics', { signal }),
    refetchOnMount: 'always',
  })
}
