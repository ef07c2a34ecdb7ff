import { Settings2 } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { File as StoredFile } from '../../../shared/contract/files.ts'
import { newestFirst } from '../../../shared/rules/files/file-order.ts'
import type { Tier } from '../../../shared/rules/tiers/tier.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { useSearch } from '../../ui/search-field.tsx'
import { useDeleteFiles } from '../change-files.ts'
import { DeleteFilesDialog } from '../delete-files-dialog.tsx'
import { filesHeadingId, NameSearch } from '../files-heading.tsx'
import { FoundFiles } from '../found-files.tsx'
import { type ListView, useFileCounts, useFiles, useMoreFiles } from '../use-files.ts'
import { useNow } from '../use-now.ts'
import { ManagerSettings } from './manager-settings.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { SortControls } from './sort-controls.tsx'
import { inOrder, useSelection } from './use-selection.ts'

const none: readonly StoredFile[] = []
const title = 'File Manager'

/** Of files with equally long links, the oldest one ends first. */
const oldestFirst = { ...newestFirst, descending: false }

function countsText(total: number, active: number): string {
  const files = `${total.toLocaleString('en')} ${total === 1 ? 'file' : 'files'}`
  return `${files} · ${active.toLocaleString('en')} active ${active === 1 ? 'link' : 'links'}`
}

export interface FileManagerProps {
  tier: Tier
  /** A button that an empty list shows, such as one that starts an upload. */
  emptyAction: ReactNode
  /** True to list only files whose links end within 24 hours. */
  isExpiring: boolean
  /** Called to list all files again. */
  onShowAll: () => void
  /** Returns the statistics of a file, with its receipt: see `FileList`. */
  statistics: (file: StoredFile, receipt: ReactNode) => ReactNode
}

/**
 * Spec §2, File Manager: all files of a premium user. The server sorts and searches them and
 * answers page by page. A person can select files, and then delete them together or copy their
 * links. A button shows the settings of the File Manager.
 */
export function FileManager({ tier, emptyAction, statistics, ...which }: FileManagerProps) {
  const { isExpiring, onShowAll } = which
  const { typed, search, setTyped } = useSearch()
  const [order, setOrder] = useState(isExpiring ? oldestFirst : newestFirst)
  const [showsSettings, setShowsSettings] = useState(false)
  const settingsId = useId()
  const view: ListView = { search, order, expiring: isExpiring ? 'soon' : undefined }
  const all = useFiles()
  const found = useFiles(view)
  const more = useMoreFiles(view)
  const files = found.files ?? none
  const now = useNow(files, tier)
  const counts = useFileCounts(all, tier, now)
  const total = counts && counts.active + counts.private + counts.deleted
  const {
    chosen,
    isAll: wasAll,
    isReading,
    toggle,
    selectAll,
    clear,
    drop,
  } = useSelection(view, found)
  const bulkDelete = useBulkDelete(drop)
  const selected = inOrder(chosen, files)
  // If the list has pages that are not loaded, the loaded files cannot show whether all are
  // selected. Then the number of selected files must be the number of all files of the user. For a
  // search, that number is not known. Then only a selection of all files at once counts as all.
  const isSearch = search !== '' || isExpiring
  const isWhole = isSearch ? wasAll : selected.length === total
  const isComplete = found.hasMore ? isWhole : files.length > 0
  const isAll = isComplete && files.every(({ id }) => chosen.has(id))

  // The link that leads here disappears together with its tab, so the focus moves to the heading.
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
            <p className="text-muted text-sm tabular-nums">{countsText(total, counts.active)}</p>
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
      {all.files && all.files.length > 0 ? (
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <NameSearch typed={typed} onType={setTyped} />
          <SortControls order={order} onOrderChange={setOrder} />
        </div>
      ) : null}
      <FoundFiles
        label={title}
        search={search}
        found={found}
        more={more}
        total={total}
        tier={tier}
        now={now}
        emptyAction={emptyAction}
        onClearSearch={() => setTyped('')}
        onShowAll={isExpiring ? showAll : undefined}
        head={
          <SelectionBar
            selected={selected}
            isAll={isAll}
            isReading={isReading}
            tier={tier}
            now={now}
            onSelectAll={selectAll}
            onClear={clear}
            onDelete={() => bulkDelete.ask(selected)}
          />
        }
        onDelete={({ id }) => drop(new Set([id]))}
        statistics={statistics}
        around={(file, row) => (
          <div className={`flex ${chosen.has(file.id) ? 'bg-tint' : ''}`}>
            <div className="pt-4 pl-2 sm:pl-3 pointer-coarse:pt-2.5">
              <Checkbox
                label={`Select ${file.originalName}`}
                checked={chosen.has(file.id)}
                onCheckedChange={() => toggle(file)}
              />
            </div>
            <div className="-ml-2 min-w-0 flex-1">{row}</div>
          </div>
        )}
      />
      {bulkDelete.dialog}
    </section>
  )
}

/**
 * Returns a function that asks whether to delete files, and the dialog for this question. The
 * dialog stays visible while it closes, although the files may already be deleted then.
 * @param onDeleted called with the ids of files that are deleted.
 */
function useBulkDelete(onDeleted: (ids: ReadonlySet<string>) => void) {
  const [isAsking, setAsking] = useState(false)
  /** The files that the dialog asks about. They do not change while the dialog is open. */
  const [asked, setAsked] = useState(none)
  const isDeleted = useRef(false)
  const { mutate, isPending } = useDeleteFiles(onDeleted)
  const ask = (files: readonly StoredFile[]) => {
    isDeleted.current = false
    setAsked(files)
    setAsking(true)
  }
  const confirm = () =>
    mutate(asked, {
      onSuccess: () => {
        isDeleted.current = true
      },
      onSettled: () => setAsking(false),
    })
  const dialog = (
    <DeleteFilesDialog
      open={isAsking}
      onOpenChange={setAsking}
      count={asked.length}
      files={asked}
      pending={isPending}
      onConfirm={confirm}
      // The pressed button disappears with the selection, so the focus moves to the heading.
      finalFocus={() => (isDeleted.current ? document.getElementById(filesHeadingId) : true)}
    />
  )
  return { ask, dialog }
}
