import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { FileList } from './file-list.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId } from './files-heading.tsx'
import { FilesFailed, FilesLoading, NoFiles } from './files-states.tsx'
import { useFileCounts } from './use-file-counts.ts'
import { useFiles } from './use-files.ts'
import { useNow } from './use-now.ts'

const none: readonly StoredFile[] = []
const title = 'Recent Files'

/** The newest files of the user, or the loading, empty or failed state of the list. */
export function RecentFiles({ tier, newest }: { tier: Tier; newest: number }) {
  const known = useFiles()
  const { files, isError, isFetching, refetch } = known
  const now = useNow(files ?? none, tier)
  const counts = useFileCounts(known, tier, now)
  const content = () => {
    if (files && files.length > 0) {
      return <FileList label={title} files={files.slice(0, newest)} tier={tier} now={now} />
    }
    if (files) return <NoFiles />
    if (isError) return <FilesFailed pending={isFetching} onRetry={() => void refetch()} />
    return <FilesLoading rows={newest} />
  }
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {files && files.length > 0 ? <ActiveLinks count={counts?.active} /> : null}
      </FilesHeading>
      {content()}
    </section>
  )
}
