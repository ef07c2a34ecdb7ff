import type { ReactNode } from 'react'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import type { FileListProps } from './file-list.tsx'
import { FileList } from './file-list.tsx'
import {
  FilesFailed,
  FilesLoading,
  MoreFailed,
  NoFiles,
  NothingExpires,
  NothingFound,
} from './files-states.tsx'
import type { useFiles, useMoreFiles } from './use-files.ts'

function foundText(count: number, hasMore: boolean): string {
  if (hasMore) return `More than ${count} files found`
  return `${count} ${count === 1 ? 'file' : 'files'} found`
}

export interface FoundFilesProps
  extends Pick<FileListProps, 'around' | 'head' | 'onDelete' | 'statistics'> {
  label: string
  /** The text that was searched for. */
  search: string
  found: ReturnType<typeof useFiles>
  more: ReturnType<typeof useMoreFiles>
  /** How many files the user has without a search; undefined while this is not known. */
  total: number | undefined
  tier: Tier
  now: Date
  /** A button that an empty list shows, such as one that starts an upload. */
  emptyAction: ReactNode
  onClearSearch: () => void
  /** Set if the list has only files whose links end soon: shows the others again. */
  onShowAll?: (() => void) | undefined
}

/**
 * The files that a search found, loaded page by page. Without files, says that there are none, that
 * they are being loaded, or that loading failed.
 */
export function FoundFiles({ found, more, search, total, onShowAll, ...props }: FoundFilesProps) {
  const { files, hasMore, isOutdated, isError, isFetching, refetch } = found
  const isSearch = (search !== '' || onShowAll !== undefined) && !isOutdated
  const nothing = () => {
    if (search === '' && onShowAll) return <NothingExpires onShowAll={onShowAll} />
    return <NothingFound search={search} onClear={props.onClearSearch} />
  }
  const list = () => {
    if (files && files.length > 0) {
      return (
        <div aria-busy={isOutdated}>
          <FileList
            label={props.label}
            files={files}
            tier={props.tier}
            now={props.now}
            total={hasMore ? Math.max(files.length + 1, isSearch ? 0 : (total ?? 0)) : undefined}
            isOpenEnded={hasMore && isSearch}
            onReach={more.readUntil}
            around={props.around}
            head={props.head}
            onDelete={props.onDelete}
            statistics={props.statistics}
          />
          {more.isError ? <MoreFailed onRetry={more.retry} /> : null}
        </div>
      )
    }
    if (files && isSearch) return nothing()
    if (files) return <NoFiles action={props.emptyAction} />
    if (isError) return <FilesFailed pending={isFetching} onRetry={() => void refetch()} />
    return <FilesLoading rows={8} />
  }
  return (
    <>
      <p role="status" className="sr-only">
        {isSearch && files ? foundText(files.length, hasMore) : ''}
      </p>
      {list()}
    </>
  )
}
