import type { ReactNode } from 'react'
import { newestFirst } from '../../shared/rules/files/file-order.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { useSearch } from '../ui/search-field.tsx'
import { useClearExpired } from './change-links.ts'
import { confirmDeletion } from './confirm-deletion.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId, NameSearch } from './files-heading.tsx'
import { NoFiles } from './files-states.tsx'
import { FoundLinks } from './found-links.tsx'
import { linkDates } from './link-dates.ts'
import type { ListedLink } from './listed-link.ts'
import { useLinkCounts, useLinks } from './use-links.ts'
import { useNow } from './use-now.ts'

const title = 'My Files'

export interface MyFilesProps {
  tier: Tier
  /** A button shown if there are no files, such as one that starts an upload. */
  emptyAction: ReactNode
}

/** My Files (spec §2): all of the user's links, with a search. */
export function MyFiles({ tier, emptyAction }: MyFilesProps) {
  const { input, search, setInput } = useSearch()
  const view = { search, order: newestFirst }
  const fullList = useLinks()
  const query = useLinks(view)
  const now = useNow(query.links)
  const counts = useLinkCounts(fullList, tier, now)
  const isEmpty = fullList.links?.length === 0
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {fullList.links && !isEmpty ? <ActiveLinks count={counts?.links.active} /> : null}
      </FilesHeading>
      {fullList.links === undefined ? null : (
        <div className="mb-3 flex flex-wrap items-center gap-2 empty:hidden">
          {isEmpty ? null : <NameSearch searchText={input} onTextChange={setInput} />}
          {tierTraits[tier].renewal ? null : (
            <ClearHistoryButton
              count={counts?.files.deleted ?? 0}
              links={fullList.links}
              tier={tier}
              now={now}
            />
          )}
        </div>
      )}
      <FoundLinks
        label={title}
        search={search}
        query={query}
        total={counts && counts.links.active + counts.links.private + counts.links.deleted}
        tier={tier}
        now={now}
        empty={<NoFiles action={emptyAction} />}
        onClearSearch={() => setInput('')}
      />
    </section>
  )
}

interface ClearHistoryButtonProps {
  /** The number of expired files. If it is 0, the button is hidden. */
  count: number
  /** All loaded links, expired or not. */
  links: readonly ListedLink[]
  tier: Tier
  now: Date
}

/** Clears a free user's expired history after confirmation (spec §2). */
function ClearHistoryButton({ count, links, tier, now }: ClearHistoryButtonProps) {
  const { mutate: clear, isPending } = useClearExpired()
  const isExpired = (link: ListedLink) => linkStatus(linkDates(link), tier, now) === 'deleted'
  const confirmAndClear = async () => {
    const expiredFiles = links.filter(isExpired).flatMap(({ files }) => files)
    if (await confirmDeletion(expiredFiles, count)) clear()
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
