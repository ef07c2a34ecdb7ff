import { ChevronDown } from 'lucide-react'
import { useEffect, useId, useMemo, useRef } from 'react'
import { overallPercent, shareOf } from '../engine/upload-progress.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord, UploadStatus } from '../records/upload-record.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import {
  countByStatus,
  interruptionOfAll,
  type Listed,
  panelRecords,
  summaryText,
} from './panel-view.ts'
import { Bar } from './upload-item.tsx'
import { UploadList } from './upload-list.tsx'
import { useAutoFold } from './use-auto-fold.ts'
import { useOpen } from './use-open.ts'
import { useRoom } from './use-room.ts'
import { useSpokenChanges } from './use-spoken-changes.ts'
import { useUploadsView } from './use-uploads-view.ts'

export interface UploadsPanelProps {
  store: UploadsStore
  /**
   * The changes that the page announces elsewhere, such as by toasts. A screen reader should not
   * read them twice.
   */
  told: readonly UploadStatus[]
  listed: Listed
  /**
   * The path of the page. When the path changes, the panel starts again as if nobody had opened it.
   */
  path: string
  /** True if the user is the administrator, who can make room on the server. */
  isAdmin: boolean
}

interface PanelProps {
  records: readonly UploadRecord[]
  live: UploadsState['live']
  /** Why no upload makes progress; null while any of them does. */
  interruption: Interruption | null
  commands: Pick<UploadsState, 'cancel' | 'resume' | 'provideFile' | 'clear'>
  isDashboard: boolean
  isAdmin: boolean
}

function Panel(props: PanelProps) {
  const { records, live, interruption, commands, isDashboard, isAdmin } = props
  const [isFolded, fold] = useAutoFold(records)
  const panel = useRef<HTMLElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  const listId = useId()
  const counts = countByStatus(records)
  const [isChosenOpen, setChosenOpen] = useOpen(isDashboard)
  const isOpen = isChosenOpen && !isFolded
  const toggleList = () => {
    setChosenOpen(!isOpen)
    fold.setOpenedByHand(!isOpen)
  }
  useRoom(panel)

  // The focus is lost when a focused button is removed together with its upload. The header's
  // button then takes the focus.
  useEffect(() => {
    const lost = hadFocus.current && document.activeElement === document.body
    if (lost) toggle.current?.focus()
  })

  const isAnyUnderWay = counts.uploading + counts.pending > 0
  const percent = overallPercent(records.map(shareOf))
  const canClear = counts.completed + counts.failed + counts.cancelled > 0
  return (
    <section
      ref={panel}
      className="uploads"
      data-open={isOpen || undefined}
      aria-label="Background uploads"
      onFocus={() => {
        hadFocus.current = true
        fold.focus(true)
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        hadFocus.current = relatedTarget === null
        fold.focus(currentTarget.contains(relatedTarget))
      }}
      onPointerDown={fold.touch}
      onWheel={fold.touch}
      onPointerEnter={() => fold.hover(true)}
      onPointerLeave={() => fold.hover(false)}
    >
      <div className="uploads-head">
        <h2>
          <button
            ref={toggle}
            type="button"
            className="uploads-toggle"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            onClick={toggleList}
          >
            <ChevronDown aria-hidden="true" strokeWidth={1.6} />
            <span>{summaryText(counts, interruption)}</span>
            {!isOpen && isAnyUnderWay ? <span className="uploads-percent">{percent}%</span> : null}
          </button>
        </h2>
        <button
          type="button"
          aria-disabled={!canClear}
          title="Removes completed and failed uploads from this list"
          onClick={() => (canClear ? commands.clear() : undefined)}
        >
          Clear
        </button>
      </div>
      {isOpen ? (
        <UploadList
          id={listId}
          records={records}
          live={live}
          isAdmin={isAdmin}
          commands={commands}
        />
      ) : isAnyUnderWay ? (
        <Bar label="All background uploads" percent={percent} tone="accent" />
      ) : null}
    </section>
  )
}

/**
 * The background uploads panel (spec §2). It is fixed at the bottom left of every page, and shown
 * only when there are uploads to show. It does no work while no upload changes. After all uploads
 * have ended, it folds to its header. On a narrow screen, and on all pages but the dashboard, its
 * list is closed at first.
 */
export function UploadsPanel({ store, told, listed, path, isAdmin }: UploadsPanelProps) {
  const state = useUploadsView(store)
  const records = useMemo(() => panelRecords(state.records, listed), [state.records, listed])
  const spoken = useSpokenChanges(records, told)
  return (
    <>
      <p role="status" className="uploads-spoken">
        {spoken}
      </p>
      {records.length > 0 ? (
        <Panel
          key={path}
          isDashboard={listed === 'background'}
          isAdmin={isAdmin}
          records={records}
          live={state.live}
          interruption={interruptionOfAll(state.records, state.live)}
          commands={state}
        />
      ) : null}
    </>
  )
}
