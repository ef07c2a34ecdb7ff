import { newestFirst } from '../../shared/rules/files/file-order.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { RowsLoading } from '../ui/skeleton.tsx'
import { FilesLoadError, NextPageError } from './files-states.tsx'
import { LinkList } from './link-list.tsx'
import type { ListedLink } from './listed-link.ts'
import { useLinks } from './use-links.ts'
import { useNow } from './use-now.ts'

const noLinks: readonly ListedLink[] = []

/** The links that a request has received, newest first. */
export function ReceivedLinks({ requestId, tier }: { requestId: string; tier: Tier }) {
  const query = useLinks({ search: '', order: newestFirst, requestId })
  const { links = noLinks, hasMore, isFetching } = query
  const now = useNow(links, tier)
  if (query.links === undefined) {
    return query.isError ? (
      <FilesLoadError query={query} />
    ) : (
      <RowsLoading label="Loading your files" rows={1} />
    )
  }
  if (links.length === 0) return <p className="text-muted text-sm">Nothing has arrived yet.</p>
  return (
    <>
      <LinkList
        label="Received"
        links={links}
        tier={tier}
        now={now}
        total={hasMore ? links.length + 1 : undefined}
        isOpenEnded={hasMore}
        onNearEnd={() => {
          if (!isFetching && !query.isMoreError) void query.loadMore()
        }}
      />
      {query.isMoreError ? <NextPageError onRetry={() => void query.loadMore()} /> : null}
    </>
  )
}
