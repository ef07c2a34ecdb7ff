import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { DownloadStats } from '../../shared/contract/analytics.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { lifeline } from '../../shared/rules/links/lifeline.ts'
import { call } from '../api/call.ts'
import { serverNow } from '../api/server-clock.ts'
import { textColors } from '../files/lifeline.tsx'
import { linkDates } from '../files/link-dates.ts'
import { DetailRow } from '../files/link-receipt.tsx'
import type { ListedLink } from '../files/listed-link.ts'
import { InlineLoadError, QueryContent } from '../ui/load-error.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { Switch } from '../ui/switch.tsx'
import { LifelineChart } from './lifeline-chart.tsx'

export interface LinkStatisticsProps {
  link: ListedLink
  canRenew: boolean
  /** The link's receipt, shown below the statistics. */
  receipt: ReactNode
}

/** Shows a link's downloads per day, its dates and its receipt. */
export function LinkStatistics({ link, canRenew, receipt }: LinkStatisticsProps) {
  const query = useQuery({
    queryKey: ['/api/links/stats', link.shortCode],
    queryFn: ({ signal }) =>
      call('GET /api/links/{code}/stats', { params: { code: link.shortCode }, signal }),
    // Users expect current numbers each time they open the statistics.
    refetchOnMount: 'always',
  })
  const { data } = query
  const [asTable, setAsTable] = useState(false)
  const now = serverNow()
  const dates = linkDates(link)
  const isRenewable = canRenew && link.purgingAt === null
  const { tone } = lifeline(dates, now, isRenewable)
  return (
    <div className="grid grid-cols-1 gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_320px]">
      <QueryContent
        query={query}
        failed={
          <InlineLoadError
            query={query}
            text="The statistics could not be loaded."
            className="self-start"
          />
        }
        loading={
          <Loading label="Loading the statistics">
            <Skeleton className="h-[280px] w-full" />
          </Loading>
        }
      >
        {({ days }) => <LifelineChart {...{ dates, now, asTable, days }} canRenew={isRenewable} />}
      </QueryContent>
      <div className="grid content-start gap-4">
        <dl className="grid gap-1.5 text-sm tabular-nums">
          {data ? <DetailRow name="Last download">{lastDownloadText(data, now)}</DetailRow> : null}
          <DetailRow name={tone === 'over' ? 'Link ended' : 'Link ends'}>
            <span className={textColors[tone]}>{localTimestampText(dates.expiresAt, now)}</span>
          </DetailRow>
          <DetailRow name="Uploaded">{localTimestampText(dates.createdAt, now)}</DetailRow>
        </dl>
        {data ? (
          <Switch label="Show as table" checked={asTable} onCheckedChange={setAsTable} />
        ) : null}
        {link.files.length > 1 ? (
          <p className="text-muted text-sm">
            The chart counts downloads of files: one of all files counts once for each.
          </p>
        ) : null}
        <div className="border-line border-t pt-3">{receipt}</div>
      </div>
    </div>
  )
}

function lastDownloadText({ lastDownloadAt }: DownloadStats, now: Date): string {
  return lastDownloadAt === null ? 'None yet' : localTimestampText(new Date(lastDownloadAt), now)
}
