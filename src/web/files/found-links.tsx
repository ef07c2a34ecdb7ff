import type { ReactNode } from 'react'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { InlineLoadError } from '../ui/load-error.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { FilesLoadError, NoExpiringFiles, NoSearchResults } from './files-states.tsx'
import { LinkList, type LinkListProps } from './link-list.tsx'
import type { useLinks } from './use-links.ts'

function resultCountText(count: number, hasNextPage: boolean): string {
  return hasNextPage ? `More than ${count} links found` : `${formatCount(count, 'link')} found`
}

export interface FoundLinksProps
  extends Pick<
    LinkListProps,
    'label' | 'tier' | 'now' | 'wrapRow' | 'head' | 'onDelete' | 'statistics'
  > {
  search: string
  query: ReturnType<typeof useLinks>
  /** How many links there are without a search; undefined while unknown. */
  total: number | undefined
  /** Shown if there are no links. */
  empty: ReactNode
  onClearSearch: () => void
  /** Clears the filter for links that expire soon. Set only while the filter is on. */
  onShowAll?: (() => void) | undefined
}

/**
 * A search's results, loaded page by page, or a message while they load, if there are none or if
 * loading failed.
 */
export function FoundLinks({
  query,
  search,
  total,
  empty,
  onClearSearch,
  onShowAll,
  ...props
}: FoundLinksProps) {
  const { links, hasNextPage, isPlaceholderData, isError, isFetching } = query
  const isFiltered = (search !== '' || onShowAll !== undefined) && !isPlaceholderData
  const loadMore = () => {
    if (!isFetching && !query.isFetchNextPageError) void query.fetchNextPage()
  }
  const renderList = () => {
    if (links && links.length > 0) {
      return (
        <div aria-busy={isPlaceholderData}>
          <LinkList
            {...props}
            links={links}
            total={
              hasNextPage ? Math.max(links.length + 1, isFiltered ? 0 : (total ?? 0)) : undefined
            }
            isOpenEnded={hasNextPage && isFiltered}
            onNearEnd={loadMore}
          />
          {query.isFetchNextPageError ? (
            <InlineLoadError
              query={{ ...query, refetch: query.fetchNextPage }}
              text="The files after these could not be loaded."
              className="mt-3 justify-center"
            />
          ) : null}
        </div>
      )
    }
    if (links && !isFiltered) return empty
    if (links && search === '' && onShowAll) return <NoExpiringFiles onShowAll={onShowAll} />
    if (links) return <NoSearchResults search={search} onClear={onClearSearch} />
    if (isError) return <FilesLoadError query={query} />
    return <RowsLoading label="Loading your files" rows={8} />
  }
  return (
    <>
      <p role="status" className="sr-only">
        {isFiltered && links ? resultCountText(links.length, hasNextPage) : ''}
      </p>
      {renderList()}
    </>
  )
}
