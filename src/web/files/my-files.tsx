import { type ReactNode, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'
import { SearchField } from '../ui/search-field.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { ClearHistory } from './clear-history.tsx'
import { FileList } from './file-list.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId } from './files-heading.tsx'
import { FilesFailed, FilesLoading, MoreFailed, NoFiles, NothingFound } from './files-states.tsx'
import { useFileCounts } from './use-file-counts.ts'
import { useFiles, useMoreFiles } from './use-files.ts'
import { useNow } from './use-now.ts'

/** A search runs when nobody has typed for this many milliseconds. */
const searchRestMs = 150
/** In characters. No file name is longer. */
const maxSearchLength = 255

const none: readonly StoredFile[] = []
const title = 'My Files'

function foundText(count: number, hasMore: boolean): string {
  if (hasMore) return `More than ${count} files found`
  return `${count} ${count === 1 ? 'file' : 'files'} found`
}

export interface MyFilesProps {
  tier: Tier
  /** An action for the empty list. */
  emptyAction: ReactNode
}

/**
 * All files of the user, with a search that runs while the person types. Free users can clear their
 * expired history (spec §2). The list is loaded page by page while it is scrolled.
 */
export function MyFiles({ tier, emptyAction }: MyFilesProps) {
  const [typed, setTyped] = useState('')
  const rested = useDebounced(typed.trim(), searchRestMs)
  const search = typed.trim() === '' ? '' : rested
  const all = useFiles()
  const found = useFiles(search)
  const more = useMoreFiles(search)
  const now = useNow(found.files ?? none, tier)
  const counts = useFileCounts(all, tier, now)
  const { files, hasMore, isOutdated, isError, isFetching, refetch } = found
  const isSearch = search !== '' && !isOutdated
  const total = counts && counts.active + counts.private + counts.deleted

  const list = () => {
    if (files && files.length > 0) {
      return (
        <div aria-busy={isOutdated}>
          <FileList
            label={title}
            files={files}
            tier={tier}
            now={now}
            total={hasMore ? Math.max(files.length + 1, isSearch ? 0 : (total ?? 0)) : undefined}
            isOpenEnded={hasMore && isSearch}
            onReach={more.readUntil}
          />
          {more.isError ? <MoreFailed onRetry={more.retry} /> : null}
        </div>
      )
    }
    if (files && isSearch) return <NothingFound search={search} onClear={() => setTyped('')} />
    if (files) return <NoFiles action={emptyAction} />
    if (isError) return <FilesFailed pending={isFetching} onRetry={() => void refetch()} />
    return <FilesLoading rows={8} />
  }
  const isEmpty = all.files?.length === 0
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {all.files && !isEmpty ? <ActiveLinks count={counts?.active} /> : null}
      </FilesHeading>
      {all.files === undefined ? null : (
        <div className="mb-3 flex flex-wrap items-center gap-2 empty:hidden">
          {isEmpty ? null : (
            <div className="min-w-0 flex-1 max-sm:basis-full">
              <SearchField
                label="Search by name"
                value={typed}
                onValueChange={setTyped}
                maxLength={maxSearchLength}
              />
            </div>
          )}
          {tierLimits[tier].renewal ? null : (
            <ClearHistory count={counts?.deleted ?? 0} files={all.files} tier={tier} now={now} />
          )}
        </div>
      )}
      <p role="status" className="sr-only">
        {isSearch && files ? foundText(files.length, hasMore) : ''}
      </p>
      {list()}
    </section>
  )
}
