import { Copy } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { copyLinks } from './copy-links.tsx'
import { FileList } from './file-list.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId } from './files-heading.tsx'
import { FilesLoadError, NoFiles } from './files-states.tsx'
import { linkDates, rowId } from './link-dates.ts'
import { useFileCounts, useFiles } from './use-files.ts'
import { useNow } from './use-now.ts'

const noFiles: readonly StoredFile[] = []
const title = 'Recent Files'

export interface RecentFilesProps {
  tier: Tier
  /** How many files the list shows at most. */
  limit: number
  /**
   * Called with true when the list has new files, and with false when it has none or unmounts.
   * While there are new files, copying their links is the page's main action.
   */
  onNewFiles?: (hasNewFiles: boolean) => void
}

/**
 * Shows the user's newest files, or a message while they load, if there are none or if loading
 * failed. Marks files that are uploaded while the list is shown.
 */
export function RecentFiles({ tier, limit, onNewFiles }: RecentFilesProps) {
  const list = useFiles()
  const { files, isError } = list
  const now = useNow(files ?? noFiles, tier)
  const counts = useFileCounts(list, tier, now)
  const newFiles = useNewFiles(files)
  const hasNewFiles = newFiles.length > 0
  useEffect(() => {
    onNewFiles?.(hasNewFiles)
    return () => onNewFiles?.(false)
  }, [hasNewFiles, onNewFiles])
  const activeFiles = newFiles.filter((file) => linkStatus(linkDates(file), tier, now) === 'active')
  const renderContent = () => {
    if (files && files.length > 0) {
      return (
        <FileList
          label={title}
          files={files.slice(0, limit)}
          tier={tier}
          now={now}
          newIds={new Set(newFiles.map(({ id }) => id))}
        />
      )
    }
    if (files) return <NoFiles />
    if (isError) return <FilesLoadError query={list} />
    return <RowsLoading label="Loading your files" rows={limit} />
  }
  return (
    <section aria-labelledby={filesHeadingId}>
      <FilesHeading title={title}>
        {files && files.length > 0 ? (
          <div className="flex items-baseline gap-4">
            {/* Negative margins keep the button from making the line taller. */}
            <div className="-my-2 pointer-coarse:-my-3">
              {activeFiles.length > 1 ? (
                <Button
                  size="small"
                  variant="primary"
                  icon={<Copy />}
                  onClick={() => void copyLinks(activeFiles)}
                >
                  Copy {formatCount(activeFiles.length, 'link')}
                </Button>
              ) : null}
            </div>
            <div className={activeFiles.length > 1 ? 'max-sm:sr-only' : undefined}>
              <ActiveLinks count={counts?.active} />
            </div>
          </div>
        ) : null}
      </FilesHeading>
      {renderContent()}
    </section>
  )
}

/**
 * Returns the files uploaded while this list was shown, newest first. Scrolls the newest one into
 * view, unless the user has scrolled or is using the keyboard.
 */
function useNewFiles(files: readonly StoredFile[] | undefined): readonly StoredFile[] {
  const [initialFiles, setInitialFiles] = useState<readonly StoredFile[] | null>(null)
  if (files && initialFiles === null) setInitialFiles(files)
  const newFiles = useMemo(() => {
    if (!files || initialFiles === null) return noFiles
    const knownIds = new Set(initialFiles.map(({ id }) => id))
    // A deletion can move older files into the list, so compare dates too.
    const newestCreatedAt = initialFiles[0]?.createdAt ?? ''
    return files.filter(({ id, createdAt }) => !knownIds.has(id) && createdAt >= newestCreatedAt)
  }, [files, initialFiles])
  const [newestFile] = newFiles
  const rowElementId = newestFile && rowId(newestFile)
  useEffect(() => {
    const focusedElement = document.activeElement
    const usesKeyboard =
      focusedElement !== document.body && focusedElement?.matches(':focus-visible')
    if (!rowElementId || window.scrollY > 0 || usesKeyboard) return
    document.getElementById(rowElementId)?.scrollIntoView({ block: 'nearest' })
  }, [rowElementId])
  return newFiles
}
