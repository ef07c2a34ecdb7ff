import type { ReactNode } from 'react'
import { maxFileSearchLength } from '../../shared/rules/files/file-order.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { filesLeftText } from '../../shared/rules/tiers/tier-limits.ts'
import { SearchField } from '../ui/search-field.tsx'
import { allLinks, useLinkCounts, useLinks } from './use-links.ts'
import { useNow } from './use-now.ts'

/** The id of the list's heading, which receives focus when the last row is removed. */
export const filesHeadingId = 'files-heading'

export interface FilesHeadingProps {
  title: string
  /** Figures beside the title, such as the number of active links. */
  children?: ReactNode
}

/** The heading above a list of links. */
export function FilesHeading({ title, children }: FilesHeadingProps) {
  return (
    <div className="mb-3 flex items-baseline justify-between gap-4">
      <h2 id={filesHeadingId} tabIndex={-1} className="text-lg">
        {title}
      </h2>
      {children}
    </div>
  )
}

/** Shows the number of active links. Renders nothing until it is known. */
export function ActiveLinks({ count }: { count: number | undefined }) {
  if (count === undefined) return null
  return <p className="text-muted text-sm tabular-nums">{formatCount(count, 'active link')}</p>
}

export interface RemainingFilesProps {
  tier: Tier
  maxFiles: number
  /** True during uploads. The number is then hidden, because each upload may become a file. */
  isChanging: boolean
}

/**
 * Shows how many more files the user can store, if the tier has a limit. The line keeps its height
 * while the number is unknown.
 */
export function RemainingFiles({ tier, maxFiles, isChanging }: RemainingFilesProps) {
  // Files may have been uploaded in another browser.
  const list = useLinks(allLinks, { refetchOnWindowFocus: 'always' })
  const now = useNow(list.links)
  const activeCount = useLinkCounts(list, tier, now)?.files.active
  const isKnown = activeCount !== undefined && !isChanging
  return (
    <p className="mt-0.5 min-h-[1lh] font-[540] text-sm tabular-nums">
      {isKnown ? filesLeftText(maxFiles, activeCount) : null}
    </p>
  )
}

export interface NameSearchProps {
  searchText: string
  onTextChange: (text: string) => void
}

export function NameSearch({ searchText, onTextChange }: NameSearchProps) {
  return (
    <div className="min-w-0 flex-1 max-sm:basis-full">
      <SearchField
        label="Search by name"
        value={searchText}
        onValueChange={onTextChange}
        maxLength={maxFileSearchLength}
      />
    </div>
  )
}
