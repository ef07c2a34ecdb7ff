import { Copy } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { Button } from '../ui/button.tsx'
import { copyLinks, linksText } from './copy-links.ts'
import { FileList, rowId } from './file-list.tsx'
import { ActiveLinks, FilesHeading, filesHeadingId } from './files-heading.tsx'
import { FilesFailed, FilesLoading, NoFiles } from './files-states.tsx'
import { linkFacts } from './link-facts.ts'
import { useFileCounts, useFiles } from './use-files.ts'
import { spokenNews, useNewFiles } from './use-new-files.ts'
import { useNow } from './use-now.ts'

const none: readonly StoredFile[] = []
const title = 'Recent Files'

export interface RecentFilesProps {
  tier: Tier
  /** How many files the list shows at most. */
  newest: number
  /**
   * Called with true when the list has new files, and with false when it has none any more. While
   * there are new files, copying their links is the main action of the page.
   */
  onNews?: (hasNews: boolean) => void
}

/**
 * The newest files of the user, or the loading, empty or failed state of the list. For some seconds
 * new files are marked, and copying their links is the main action of the page.
 */
export function RecentFiles({ tier, newest, onNews }: RecentFilesProps) {
  const known = useFiles()
  const { files, isError, isFetching, refetch } = known
  const now = useNow(files ?? none, tier)
  const counts = useFileCounts(known, tier, now)
  const together = useRef<HTMLDivElement>(null)
  const fresh = useNewFiles(files, together)
  useNews(fresh[0], onNews)
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
    if (isError) return <FilesFailed pending={isFetching} onRetry={() => void refetch()} />
    return <FilesLoading rows={newest} />
  }
  return (
    <section aria-labelledby={filesHeadingId}>
      <p role="status" className="sr-only">
        {spokenNews(fresh)}
      </p>
      <FilesHeading title={title}>
        {files && files.length > 0 ? (
          <div className="flex items-baseline gap-4">
            {/* The button is higher than its line. The negative margin keeps it from pushing
                the list down. */}
            <div ref={together} className="-my-2 pointer-coarse:-my-3">
              {open.length > 1 ? (
                <Button
                  size="small"
                  variant="primary"
                  icon={<Copy />}
                  onClick={() => void copyLinks(open)}
                >
                  Copy {linksText(open.length)}
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
 * Scrolls to the newest of the new files if the person does not see it. Tells the page whether
 * there are new files.
 */
function useNews(newest: StoredFile | undefined, onNews: RecentFilesProps['onNews']): void {
  const row = newest && rowId(newest)
  useEffect(() => {
    const found = row && document.getElementById(row)
    if (found) bringIntoSight(found)
  }, [row])
  const hasNews = newest !== undefined
  useEffect(() => {
    onNews?.(hasNews)
    return () => onNews?.(false)
  }, [hasNews, onNews])
}

/** What decides whether a page scrolls to a new row. */
export interface Sight {
  /** The whole row can be seen. */
  isShown: boolean
  /** The person has not scrolled away from the top of the page, where uploads begin. */
  isAtTop: boolean
  /** The person is typing, or moves through the page with the keyboard. */
  usesKeyboard: boolean
}

/**
 * True if the page may scroll to a new row: the person does not see it, is at the top of the page
 * and does not use the keyboard.
 */
export function mayScroll({ isShown, isAtTop, usesKeyboard }: Sight): boolean {
  return !isShown && isAtTop && !usesKeyboard
}

/** Scrolls to a new row, if the person would miss it otherwise. The focus stays where it is. */
export function bringIntoSight(row: Element): void {
  const sight = {
    isShown: isShown(row),
    isAtTop: window.scrollY < 1,
    usesKeyboard: isKeyboardAt(document.activeElement),
  }
  if (!mayScroll(sight)) return
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  row.scrollIntoView({ block: 'center', behavior: isCalm ? 'auto' : 'smooth' })
}

/**
 * True if the browser shows a focus ring on the element. Browsers always show it on a text field.
 */
function isKeyboardAt(focused: Element | null): boolean {
  return focused !== null && focused !== document.body && focused.matches(':focus-visible')
}

/**
 * `isShown` tests points of a row this many pixels inside its top and its bottom edge, at these
 * fractions of its width: its name, its middle and its buttons.
 */
const inset = 8
const tested = [0.15, 0.5, 0.85]

/** True if the row is inside the window, and nothing such as the uploads panel covers it. */
function isShown(row: Element): boolean {
  const { left, width, top, bottom } = row.getBoundingClientRect()
  return [top + inset, bottom - inset].every((y) =>
    tested.every((part) => row.contains(document.elementFromPoint(left + width * part, y))),
  )
}
