import { Copy, Trash2 } from 'lucide-react'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { formatCount } from '../../../shared/rules/format/numbers.ts'
import type { Tier } from '../../../shared/rules/tiers/tier.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { copyLinks } from '../copy-links.tsx'
import { canShare, type ListedLink } from '../listed-link.ts'

export interface SelectionBarProps {
  selected: readonly ListedLink[]
  /** True if all links that match the search are selected. */
  isAllSelected: boolean
  /** True while "select all" loads the rest of the list. */
  isLoadingAll: boolean
  isDeleting: boolean
  tier: Tier
  now: Date
  onSelectAll: () => void
  onClear: () => void
  onDelete: () => void
}

/**
 * The bar above the list, with a checkbox that selects all links and with actions for the selected
 * ones. On phones it stays visible while scrolling.
 */
export function SelectionBar({
  selected,
  isAllSelected,
  isLoadingAll,
  ...props
}: SelectionBarProps) {
  const { tier, now } = props
  const count = selected.length
  const openLinks = selected.filter((link) => canShare(link, tier, now))
  const size = selected.reduce((sum, { totalSize }) => sum + totalSize, 0)
  const renderStatus = () => {
    if (isLoadingAll) return 'Selecting all…'
    if (count === 0) return 'Select all'
    return (
      <>
        {count.toLocaleString('en')} selected{' '}
        <span className="font-[400] text-muted">· {formatSize(size)}</span>
      </>
    )
  }
  return (
    <div
      className={`z-10 flex min-h-[52px] flex-wrap items-center gap-x-2 gap-y-1 border-line border-b px-2 py-1.5 max-sm:sticky max-sm:top-0 sm:px-3 ${count > 0 ? 'bg-tint' : 'bg-surface'}`}
    >
      <Checkbox
        label={count > 0 && isAllSelected ? 'Select none' : 'Select all files'}
        checked={isAllSelected}
        mixed={count > 0 && !isAllSelected}
        onCheckedChange={() => {
          if (isAllSelected) props.onClear()
          // The checkbox stays enabled while files load, because disabling it would make it lose
          // focus.
          else if (!isLoadingAll) props.onSelectAll()
        }}
      />
      <p role="status" className="mr-auto font-[560] text-sm tabular-nums">
        {renderStatus()}
      </p>
      {count === 0 ? null : (
        <div className="flex flex-wrap items-center gap-1.5 max-sm:w-full">
          <Button
            size="small"
            icon={<Copy />}
            unavailable={
              openLinks.length === 0 ? 'None of these links is open and shared.' : undefined
            }
            onClick={() => void copyLinks(openLinks, count - openLinks.length)}
          >
            Copy {formatCount(openLinks.length, 'link')}
          </Button>
          <Button
            size="small"
            variant="danger"
            icon={<Trash2 />}
            pending={props.isDeleting}
            pendingLabel="Deleting…"
            onClick={props.onDelete}
          >
            Delete {count.toLocaleString('en')}
          </Button>
          <Button size="small" variant="quiet" onClick={props.onClear}>
            Clear
            <span className="sr-only">selection</span>
          </Button>
        </div>
      )}
    </div>
  )
}
