import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { FileStats } from '../../shared/contract/analytics.ts'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { localMomentText } from '../../shared/rules/moment-text.ts'
import { call } from '../api/call.ts'
import { serverNow } from '../api/look-again.ts'
import { Button } from '../ui/button.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { Switch } from '../ui/switch.tsx'
import { DownloadsChart } from './downloads-chart.tsx'

/** The statistics of a file: its downloads on each day, and the time of the last download. */
export function FileStatistics({ file }: { file: StoredFile }) {
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['/api/files/stats', file.id],
    queryFn: ({ signal }) => call('fileStats', { params: { id: file.id }, signal }),
    // Cached data is used without a time limit (spec §9), but a person who opens the statistics
    // expects current numbers.
    refetchOnMount: 'always',
  })
  if (data) return <Numbers file={file} stats={data} />
  if (isError) {
    return (
      <div role="alert" className="flex flex-wrap items-center gap-3">
        <p className="text-muted text-sm">The statistics could not be loaded.</p>
        <Button
          size="small"
          pending={isFetching}
          pendingLabel="Loading…"
          onClick={() => void refetch()}
        >
          Try again
        </Button>
      </div>
    )
  }
  return (
    <Loading label="Loading the statistics">
      <Skeleton className="h-[280px] w-full" />
    </Loading>
  )
}

function Numbers({ file, stats }: { file: StoredFile; stats: FileStats }) {
  const [asTable, setAsTable] = useState(false)
  const { days, lastDownloadAt } = stats
  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_250px]">
      <DownloadsChart days={days} asTable={asTable} />
      <div className="grid content-start gap-4">
        <dl className="grid gap-2 text-sm tabular-nums">
          <Fact name="Last download">
            {lastDownloadAt === null ? 'None yet' : textOf(lastDownloadAt)}
          </Fact>
          <Fact name="Uploaded">{textOf(file.createdAt)}</Fact>
          <Fact name="Link ends">{textOf(file.expiresAt)}</Fact>
          <Fact name="Gone for good">{textOf(file.maxLifetimeAt)}</Fact>
        </dl>
        <Switch label="Show as table" checked={asTable} onCheckedChange={setAsTable} />
      </div>
    </div>
  )
}

function textOf(moment: string): string {
  return localMomentText(new Date(moment), serverNow())
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
