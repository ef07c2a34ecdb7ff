import { Copy } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { copyLinks } from './copy-links.tsx'
import { FileList } from './file-list.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId } from './files-heading.tsx'
import { FilesFailed, NoFiles } from './files-states.tsx'
import { linkFacts, rowId } from './link-facts.ts'
import { useFileCounts, useFiles } from './use-files.ts'
import { useNow } from './use-now.ts'

const none: readonly StoredFile[] = []
const title = 'Recent Files'

export interface RecentFilesProps {
  tier: Tier
  /** The maximum number of files in the list. */
  newest: number
  /**
   * Called with whether the list has new files, and with false on unmount. With new files,
   * copying their links is the main action of the page.
   */
  onNews?: (hasNews: boolean) => void
}

/**
 * The user's newest files, or the loading, empty or failed state. Files uploaded while the list is
 * shown are marked.
 */
export function RecentFiles({ tier, newest, onNews }: RecentFilesProps) {
  const known = useFiles()
  const { files, isError } = known
  const now = useNow(files ?? none, tier)
  const counts = useFileCounts(known, tier, now)
  const fresh = useNewFiles(files)
  const hasNews = fresh.length > 0
  useEffect(() => {
    onNews?.(hasNews)
    return () => onNews?.(false)
  }, [hasNews, onNews])
  const open = fresh.filter((file) => linkStatus(linkFacts(file), tier, now) === 'active')
  const content = () => {
    if (files && files.length > 0) {
      return (
        <FileList
          label={title}
          files={files.slice(0, newest)}
          tier={tier}
          now={now}
          newIds={new Set(fresh.map(({ id }) => id))}
        />
      )
    }
    if (files) return <NoFiles />
    if (isError) return <FilesFailed query={known} />
    return <RowsLoading label="Loading your files" rows={newest} />
  }
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {files && files.length > 0 ? (
          <div className="flex items-baseline gap-4">
            {/* The button is taller than its line but must not push the list down. */}
            <div className="-my-2 pointer-coarse:-my-3">
              {open.length > 1 ? (
                <Button
                  size="small"
                  variant="primary"
                  icon={<Copy />}
                  onClick={() => void copyLinks(open)}
                >
                  Copy {counted(open.length, 'link')}
                </Button>
              ) : null}
            </div>
            <div className={open.length > 1 ? 'max-sm:sr-only' : undefined}>
              <ActiveLinks count={counts?.active} />
            </div>
          </div>
        ) : null}
      </FilesHeading>
      {content()}
    </section>
  )
}

/**
 * Returns the files uploaded while this list was shown, newest first. Scrolls the newest one into
 * view, unless the user has scrolled or is using the keyboard.
 */
function useNewFiles(files: readonly StoredFile[] | undefined): readonly StoredFile[] {
  const [before, setBefore] = useState<readonly StoredFile[] | null>(null)
  if (files && before === null) setBefore(files)
  const fresh = useMemo(() => {
    if (!files || before === null) return none
    const knownIds = new Set(before.map(({ id }) => id))
    // A deletion can move an older file into the list.
    const newest = before[0]?.createdAt ?? ''
    return files.filter(({ id, createdAt }) => !knownIds.has(id) && createdAt >= newest)
  }, [files, before])
  const [newest] = fresh
  const row = newest && rowId(newest)
  useEffect(() => {
    const focused = document.activeElement
    const usesKeyboard = focused !== document.body && focused?.matches(':focus-visible')
    if (!row || window.scrollY > 0 || usesKeyboard) return
    document.getElementById(row)?.scrollIntoView({ block: 'nearest' })
  }, [row])
  return fresh
}
