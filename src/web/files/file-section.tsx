import type { ReactNode } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/link-status.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { FileList } from './file-list.tsx'
import { FilesFailed, FilesLoading, NoFiles } from './files-states.tsx'
import { linkFacts } from './link-facts.ts'
import { useFiles } from './use-files.ts'
import { useNow } from './use-now.ts'

export interface FileSectionProps {
  title: string
  tier: Tier
  /** How many of the newest files to show; all without it. */
  newest?: number
  /** An action for the empty list. */
  emptyAction?: ReactNode
}

const none: readonly StoredFile[] = []

function activeText(files: readonly StoredFile[], tier: Tier, now: Date): string {
  const active = files.filter((file) => linkStatus(linkFacts(file), tier, now) === 'active').length
  return `${active} active ${active === 1 ? 'link' : 'links'}`
}

/** A titled list of the user's files, or its loading, empty or failed state. */
export function FileSection({ title, tier, newest, emptyAction }: FileSectionProps) {
  const { files, isError, isFetching, refetch } = useFiles()
  const now = useNow(files ?? none, tier)
  const content = () => {
    if (files && files.length > 0) {
      return <FileList label={title} files={files.slice(0, newest)} tier={tier} now={now} />
    }
    if (files) return <NoFiles action={emptyAction} />
    if (isError) return <FilesFailed pending={isFetching} onRetry={() => void refetch()} />
    return <FilesLoading rows={newest ?? 8} />
  }
  return (
    <section aria-labelledby="files-heading">
      <div className="mb-3 flex items-baseline justify-between gap-4">
        <h2 id="files-heading" tabIndex={-1} className="text-lg">
          {title}
        </h2>
        {files && files.length > 0 ? (
          <p className="text-muted text-sm tabular-nums">{activeText(files, tier, now)}</p>
        ) : null}
      </div>
      {content()}
    </section>
  )
}
