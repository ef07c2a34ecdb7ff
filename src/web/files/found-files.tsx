import type { ReactNode } from 'react'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { RowsLoading } from '../ui/skeleton.tsx'
import { FileList, type FileListProps } from './file-list.tsx'
import {
  FilesLoadError,
  NextPageError,
  NoExpiringFiles,
  NoFiles,
  NoSearchResults,
} from './files-states.tsx'
import type { useFiles } from './use-files.ts'

function resultCountText(count: number, hasMore: boolean): string {
  return hasMore ? `More than ${count} files found` : `${formatCount(count, 'file')} found`
}

export interface FoundFilesProps
  extends Pick<
    FileListProps,
    'label' | 'tier' | 'now' | 'wrapRow' | 'head' | 'onDelete' | 'statistics'
  > {
  search: string
  query: ReturnType<typeof useFiles>
  /** How many files there are without a search; undefined while unknown. */
  total: number | undefined
  /** A button shown if there are no files, such as one that starts an upload. */
  emptyAction: ReactNode
  onClearSearch: () => void
  /** Clears the filter for links that expire soon. Set only while the filter is on. */
  onShowAll?: (() => void) | undefined
}

/**
 * A search's results, loaded page by page, or a message while they load, if there are none or if
 * loading failed.
 */
export function FoundFiles({
  query,
  search,
  total,
  emptyAction,
  onClearSearch,
  onShowAll,
  ...props
}: FoundFilesProps) {
  const { files, hasMore, isOutdated, isError, isFetching } = query
  const isFiltered = (search !== '' || onShowAll !== undefined) && !isOutdated
  const loadMore = () => {
    if (!isFetching && !query.isMoreError) void query.loadMore()
  }
  const renderEmpty = () => {
    if (search === '' && onShowAll) return <NoExpiringFiles onShowAll={onShowAll} />
    return <NoSearchResults search={search} onClear={onClearSearch} />
  }
  const renderList = () => {
    if (files && files.length > 0) {
      return (
        <div aria-busy={isOutdated}>
          <FileList
            {...props}
            files={files}
            total={hasMore ? Math.max(files.length + 1, isFiltered ? 0 : (total ?? 0)) : undefined}
            isOpenEnded={hasMore && isFiltered}
            onNearEnd={loadMore}
          />
          {query.isMoreError ? <NextPageError onRetry={() => void query.loadMore()} /> : null}
        </div>
      )
    }
    if (files && isFiltered) return renderEmpty()
    if (files) return <NoFiles action={emptyAction} />
    if (isError) return <FilesLoadError query={query} />
    return <RowsLoading label="Loading your files" rows={8} />
  }
  return (
    <>
      <p role="status" className="sr-only">
        {isFiltered && files ? resultCountText(files.length, hasMore) : ''}
      </p>
      {renderList()}
    </>
  )
}
