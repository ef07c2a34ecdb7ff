import { Copy } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { copyLinks } from './copy-links.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId } from './files-heading.tsx'
import { FilesLoadError, NoFiles } from './files-states.tsx'
import { rowId } from './link-dates.ts'
import { LinkList } from './link-list.tsx'
import { canShare, type ListedLink } from './listed-link.ts'
import { useLinkCounts, useLinks } from './use-links.ts'
import { useNow } from './use-now.ts'

const noLinks: readonly ListedLink[] = []
const title = 'Recent Files'

export interface RecentFilesProps {
  tier: Tier
  /** How many links the list shows at most. */
  limit: number
  /**
   * Called with true when the list has new links, and with false when it has none or unmounts.
   * While there are new links, copying them is the page's main action.
   */
  onNewFiles?: (hasNewFiles: boolean) => void
}

/**
 * Shows the user's newest links, or a message while they load, if there are none or if loading
 * failed. Marks links that are uploaded while the list is shown.
 */
export function RecentFiles({ tier, limit, onNewFiles }: RecentFilesProps) {
  const list = useLinks()
  const { links, isError } = list
  const now = useNow(links)
  const counts = useLinkCounts(list, tier, now)
  const newLinks = useNewLinks(links)
  const hasNewFiles = newLinks.length > 0
  useEffect(() => {
    onNewFiles?.(hasNewFiles)
    return () => onNewFiles?.(false)
  }, [hasNewFiles, onNewFiles])
  const openLinks = newLinks.filter((link) => canShare(link, tier, now))
  const renderContent = () => {
    if (links && links.length > 0) {
      return (
        <LinkList
          label={title}
          links={links.slice(0, limit)}
          tier={tier}
          now={now}
          newIds={new Set(newLinks.map(({ id }) => id))}
        />
      )
    }
    if (links) return <NoFiles />
    if (isError) return <FilesLoadError query={list} />
    return <RowsLoading label="Loading your files" rows={limit} />
  }
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {links && links.length > 0 ? (
          <div className="flex items-baseline gap-4">
            {/* Negative margins keep the button from making the line taller. */}
            <div className="-my-2 pointer-coarse:-my-3">
              {openLinks.length > 1 ? (
                <Button
                  size="small"
                  variant="primary"
                  icon={<Copy />}
                  onClick={() => void copyLinks(openLinks)}
                >
                  Copy {formatCount(openLinks.length, 'link')}
                </Button>
              ) : null}
            </div>
            <div className={openLinks.length > 1 ? 'max-sm:sr-only' : undefined}>
              <ActiveLinks count={counts?.links.active} />
            </div>
          </div>
        ) : null}
      </FilesHeading>
      {renderContent()}
    </section>
  )
}

/**
 * Returns the links whose upload was completed while this list was shown, newest first. Scrolls the
 * newest one into view, unless the user has scrolled or is using the keyboard.
 */
function useNewLinks(links: readonly ListedLink[] | undefined): readonly ListedLink[] {
  const readyLinks = useMemo(() => links?.filter(({ state }) => state === 'ready'), [links])
  const [initialLinks, setInitialLinks] = useState<readonly ListedLink[] | null>(null)
  if (readyLinks && initialLinks === null) setInitialLinks(readyLinks)
  const newLinks = useMemo(() => {
    if (!readyLinks || initialLinks === null) return noLinks
    const knownIds = new Set(initialLinks.map(({ id }) => id))
    // A deletion can move older links into the list, so compare dates too.
    const newestCreatedAt = initialLinks[0]?.createdAt ?? ''
    return readyLinks.filter(
      ({ id, createdAt }) => !knownIds.has(id) && createdAt >= newestCreatedAt,
    )
  }, [readyLinks, initialLinks])
  const [newestLink] = newLinks
  const rowElementId = newestLink && rowId(newestLink)
  useEffect(() => {
    const focusedElement = document.activeElement
    const usesKeyboard =
      focusedElement !== document.body && focusedElement?.matches(':focus-visible')
    if (!rowElementId || window.scrollY > 0 || usesKeyboard) return
    document.getElementById(rowElementId)?.scrollIntoView({ block: 'nearest' })
  }, [rowElementId])
  return newLinks
}
