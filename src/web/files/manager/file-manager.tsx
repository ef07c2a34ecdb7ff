import { ArrowDown, ArrowUp, Settings2 } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import type { FileCounts } from '../../../shared/contract/files.ts'
import {
  type FileOrder,
  newestFirst,
  type SortKey,
  sortKeys,
} from '../../../shared/rules/files/file-order.ts'
import { formatCount } from '../../../shared/rules/format/numbers.ts'
import type { Tier } from '../../../shared/rules/tiers/tier.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { useSearch } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { useDeleteLinks } from '../change-links.ts'
import { confirmDeletion } from '../confirm-deletion.tsx'
import { filesHeadingId, NameSearch } from '../files-heading.tsx'
import { NoFiles } from '../files-states.tsx'
import { FoundLinks } from '../found-links.tsx'
import type { ListedLink } from '../listed-link.ts'
import { type ListView, useLinkCounts, useLinks } from '../use-links.ts'
import { useNow } from '../use-now.ts'
import { ManagerSettings } from './manager-settings.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { useSelection } from './use-selection.ts'

const noLinks: readonly ListedLink[] = []
const title = 'File Manager'

/**
 * The initial order for links that expire soon, because the oldest links are usually the first to
 * expire.
 */
const oldestFirst = { ...newestFirst, descending: false }

function sumCounts(counts: FileCounts['files']): number {
  return counts.active + counts.private + counts.deleted
}

function countsText({ files, links }: FileCounts): string {
  return `${formatCount(sumCounts(files), 'file')} · ${formatCount(links.active, 'active link')}`
}

export interface FileManagerProps {
  tier: Tier
  /** A button shown if there are no files, such as one that starts an upload. */
  emptyAction: ReactNode
  /** True to list only files whose links expire within 24 hours. */
  isExpiring: boolean
  onShowAll: () => void
  /** Renders a link's statistics; see `LinkList`. */
  statistics: (link: ListedLink, receipt: ReactNode) => ReactNode
}

/** The File Manager (spec §2): sorts, searches and selects a premium user's links. */
export function FileManager({ tier, emptyAction, statistics, ...filter }: FileManagerProps) {
  const { isExpiring, onShowAll } = filter
  const { input, search, setInput } = useSearch()
  const [order, setOrder] = useState(isExpiring ? oldestFirst : newestFirst)
  const [showsSettings, setShowsSettings] = useState(false)
  const settingsId = useId()
  const view: ListView = { search, order, expiring: isExpiring ? 'soon' : undefined }
  const fullList = useLinks()
  const query = useLinks(view)
  const links = query.links ?? noLinks
  const now = useNow(links)
  const counts = useLinkCounts(fullList, tier, now)
  const total = counts && sumCounts(counts.links)
  const selection = useSelection(view, query)
  const { selected, selectedIds } = selection
  const { mutate: deleteLinks, isPending: isDeleting } = useDeleteLinks(selection.drop)
  const confirmAndDelete = async () => {
    if (await confirmDeletion(selected.flatMap(({ files }) => files))) deleteLinks(selected)
  }
  const isAllSelected =
    links.length > 0 &&
    links.every(({ id }) => selectedIds.has(id)) &&
    (!query.hasNextPage || selected.length === total)

  // The link that led here disappeared with its tab, so move focus to the heading.
  useEffect(() => {
    if (isExpiring) document.getElementById(filesHeadingId)?.focus()
  }, [isExpiring])
  const showAll = () => {
    onShowAll()
    document.getElementById(filesHeadingId)?.focus()
  }

  return (
    <section aria-labelledby={filesHeadingId}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h2 id={filesHeadingId} tabIndex={-1} className="text-lg">
            {title}
          </h2>
          {counts && total ? (
            <p className="text-muted text-sm tabular-nums">{countsText(counts)}</p>
          ) : null}
        </div>
        <Button
          size="small"
          icon={<Settings2 />}
          expands={{ id: settingsId, isOpen: showsSettings }}
          onClick={() => setShowsSettings(!showsSettings)}
        >
          Settings
        </Button>
      </div>
      {showsSettings ? <ManagerSettings tier={tier} id={settingsId} /> : null}
      {isExpiring ? (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-control bg-tint px-4 py-2 text-sm">
          <p>Only files whose links end within 24 hours.</p>
          <Button size="small" onClick={showAll}>
            Show all files
          </Button>
        </div>
      ) : null}
      {fullList.links && fullList.links.length > 0 ? (
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <NameSearch searchText={input} onTextChange={setInput} />
          <SortControls order={order} onOrderChange={setOrder} />
        </div>
      ) : null}
      <FoundLinks
        label={title}
        search={search}
        query={query}
        total={total}
        tier={tier}
        now={now}
        empty={<NoFiles action={emptyAction} />}
        onClearSearch={() => setInput('')}
        onShowAll={isExpiring ? showAll : undefined}
        head={
          <SelectionBar
            selected={selected}
            isAllSelected={isAllSelected}
            isLoadingAll={selection.isLoadingAll}
            tier={tier}
            now={now}
            onSelectAll={selection.selectAll}
            onClear={selection.clear}
            isDeleting={isDeleting}
            onDelete={() => void confirmAndDelete()}
          />
        }
        onDelete={({ id }) => selection.drop(new Set([id]))}
        statistics={statistics}
        wrapRow={(link, row) => (
          <div className={`flex ${selectedIds.has(link.id) ? 'bg-tint' : ''}`}>
            <div className="pt-4 pl-2 sm:pl-3 pointer-coarse:pt-2.5">
              <Checkbox
                label={`Select ${link.name}`}
                checked={selectedIds.has(link.id)}
                onCheckedChange={() => selection.toggle(link)}
              />
            </div>
            <div className="-ml-2 min-w-0 flex-1">{row}</div>
          </div>
        )}
      />
    </section>
  )
}

interface SortLabels {
  label: string
  ascending: string
  descending: string
  /** True if descending is the more useful default for this sort key. */
  startsDescending: boolean
}

const sortLabels: Readonly<Record<SortKey, SortLabels>> = {
  date: {
    label: 'Date',
    ascending: 'Oldest first',
    descending: 'Newest first',
    startsDescending: true,
  },
  name: { label: 'Name', ascending: 'A to Z', descending: 'Z to A', startsDescending: false },
  size: {
    label: 'Size',
    ascending: 'Smallest first',
    descending: 'Largest first',
    startsDescending: true,
  },
  downloads: {
    label: 'Downloads',
    ascending: 'Fewest first',
    descending: 'Most first',
    startsDescending: true,
  },
}

const sortOptions = sortKeys.map((key) => ({ value: key, label: sortLabels[key].label }))

/** Sorts by date, name, size or downloads, ascending or descending (spec §2). */
function SortControls({
  order,
  onOrderChange,
}: {
  order: FileOrder
  onOrderChange: (order: FileOrder) => void
}) {
  const { ascending, descending } = sortLabels[order.by]
  return (
    <div className="flex flex-wrap gap-2 max-sm:basis-full">
      <div className="min-w-32 flex-1 sm:w-48 cramped:basis-full">
        <Select
          label="Sort by"
          options={sortOptions}
          value={order.by}
          onValueChange={(key) =>
            onOrderChange({ by: key, descending: sortLabels[key].startsDescending })
          }
        />
      </div>
      <div className="w-40 cramped:w-full">
        <Button
          wide
          icon={order.descending ? <ArrowDown /> : <ArrowUp />}
          onClick={() => onOrderChange({ ...order, descending: !order.descending })}
        >
          {order.descending ? descending : ascending}
          <span className="sr-only">, change the direction</span>
        </Button>
      </div>
    </div>
  )
}
