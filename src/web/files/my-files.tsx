import type { ReactNode } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { newestFirst } from '../../shared/rules/files/file-order.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { useSearch } from '../ui/search-field.tsx'
import { useClearExpired } from './change-files.ts'
import { confirmDeletion } from './confirm-deletion.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId, NameSearch } from './files-heading.tsx'
import { FoundFiles } from './found-files.tsx'
import { linkDates } from './link-dates.ts'
import { useFileCounts, useFiles } from './use-files.ts'
import { useNow } from './use-now.ts'

const noFiles: readonly StoredFile[] = []
const title = 'My Files'

export interface MyFilesProps {
  tier: Tier
  /** A button shown if there are no files, such as one that starts an upload. */
  emptyAction: ReactNode
}

/** My Files (spec §2): all of the user's files, with a search. */
export function MyFiles({ tier, emptyAction }: MyFilesProps) {
  const { input, search, setInput } = useSearch()
  const view = { search, order: newestFirst }
  const fullList = useFiles()
  const query = useFiles(view)
  const now = useNow(query.files ?? noFiles, tier)
  const counts = useFileCounts(fullList, tier, now)
  const isEmpty = fullList.files?.length === 0
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {fullList.files && !isEmpty ? <ActiveLinks count={counts?.active} /> : null}
      </FilesHeading>
      {fullList.files === undefined ? null : (
        <div className="mb-3 flex flex-wrap items-center gap-2 empty:hidden">
          {isEmpty ? null : <NameSearch searchText={input} onTextChange={setInput} />}
          {tierTraits[tier].renewal ? null : (
            <ClearHistoryButton
              count={counts?.deleted ?? 0}
              files={fullList.files}
              tier={tier}
              now={now}
            />
          )}
        </div>
      )}
      <FoundFiles
        label={title}
        search={search}
        query={query}
        total={counts && counts.active + counts.private + counts.deleted}
        tier={tier}
        now={now}
        emptyAction={emptyAction}
        onClearSearch={() => setInput('')}
      />
    </section>
  )
}

interface ClearHistoryButtonProps {
  /** The number of expired files. If it is 0, the button is hidden. */
  count: number
  /** All loaded files, expired or not. */
  files: readonly StoredFile[]
  tier: Tier
  now: Date
}

/** Clears a free user's expired history after confirmation (spec §2). */
function ClearHistoryButton({ count, files, tier, now }: ClearHistoryButtonProps) {
  const { mutate: clear, isPending } = useClearExpired()
  const isExpired = (file: StoredFile) => linkStatus(linkDates(file), tier, now) === 'deleted'
  const confirmAndClear = async () => {
    if (await confirmDeletion(files.filter(isExpired), count)) clear()
  }
  return count > 0 ? (
    <div className="max-sm:basis-full">
      <Button
        wide
        pending={isPending}
        pendingLabel="Deleting…"
        onClick={() => void confirmAndClear()}
      >
        Clear expired history
      </Button>
    </div>
  ) : null
}
