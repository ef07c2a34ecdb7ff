import { ChevronDown } from 'lucide-react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { overallPercent } from '../engine/upload-progress.ts'
import type { Interruption } from '../interruption.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import { LinkLine, sharedShortCode } from './link-line.tsx'
import {
  type Counts,
  countByStatus,
  getOverallInterruption,
  getPanelRecords,
  type PanelScope,
  summaryAnnouncement,
  summaryText,
} from './panel-view.ts'
import { UploadBar, type UploadItemProps } from './upload-item.tsx'
import { UploadList } from './upload-list.tsx'
import { useThrottledUploads } from './use-throttled-uploads.ts'

export interface UploadsPanelProps {
  store: UploadsStore
  scope: PanelScope
  /** The page's path. When it changes, the panel returns to its default state. */
  path: string
  /** True for the administrator, who can free space on the server. */
  isAdmin: boolean
}

interface PanelProps {
  state: UploadsState
  commands: UploadItemProps['commands']
  records: readonly UploadRecord[]
  counts: Counts
  /** Why no upload is making progress; null if at least one is. */
  interruption: Interruption | null
  isDashboard: boolean
  isAdmin: boolean
}

function Panel(props: PanelProps) {
  const { state, commands, records, counts, interruption, isDashboard, isAdmin } = props
  const [userChoice, setChosenOpen] = useState<boolean | null>(null)
  const toggleButtonRef = useRef<HTMLButtonElement>(null)
  const hadFocusRef = useRef(false)
  const listId = useId()

  // The list opens automatically only while there are unfinished uploads, and only on the dashboard
  // on a wide screen, where there is enough space.
  const hasUnfinished = counts.pending + counts.uploading + counts.paused + counts.failed > 0
  const opensAutomatically =
    isDashboard && hasUnfinished && matchMedia('(min-width: 641px)').matches
  const isOpen = userChoice ?? opensAutomatically

  // If the focused button disappears with its upload, move the focus to the header.
  useEffect(() => {
    const hasLostFocus = hadFocusRef.current && document.activeElement === document.body
    if (hasLostFocus) toggleButtonRef.current?.focus()
  })

  const isUploading = counts.uploading + counts.pending > 0
  const percent = overallPercent(records)
  const shortCode = sharedShortCode(records)
  const canClear = counts.completed + counts.failed + counts.cancelled > 0
  return (
    <section
      className="uploads"
      data-open={isOpen || undefined}
      aria-label="Background uploads"
      onFocus={() => {
        hadFocusRef.current = true
      }}
      onBlur={({ relatedTarget }) => {
        hadFocusRef.current = relatedTarget === null
      }}
    >
      <div className="uploads-head">
        <h2>
          <button
            ref={toggleButtonRef}
            type="button"
            className="uploads-toggle"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            onClick={() => setChosenOpen(!isOpen)}
          >
            <ChevronDown aria-hidden="true" strokeWidth={1.6} />
            <span>{summaryText(counts, interruption)}</span>
            {!isOpen && isUploading ? <span className="uploads-percent">{percent}%</span> : null}
          </button>
        </h2>
        <button
          type="button"
          aria-disabled={!canClear}
          title="Removes completed and failed uploads from this list"
          onClick={() => (canClear ? state.clear() : undefined)}
        >
          Clear
        </button>
      </div>
      {isOpen && shortCode !== null ? (
        <LinkLine shortCode={shortCode} isComplete={!hasUnfinished} />
      ) : null}
      {isOpen ? (
        <UploadList
          id={listId}
          state={state}
          records={records}
          isAdmin={isAdmin}
          hasLinks={shortCode === null}
          commands={commands}
        />
      ) : isUploading ? (
        <UploadBar label="All background uploads" percent={percent} tone="accent" />
      ) : null}
    </section>
  )
}

/**
 * The background uploads panel (spec §2), fixed at the bottom left of every page and hidden when
 * empty.
 */
export function UploadsPanel({ store, scope, path, isAdmin }: UploadsPanelProps) {
  const state = useThrottledUploads(store)
  const { otherTabIds } = state
  const records = useMemo(
    () => getPanelRecords(state.records, otherTabIds, scope),
    [state.records, otherTabIds, scope],
  )
  const counts = countByStatus(records)
  const interruption = getOverallInterruption(state.records, state.activity)
  return (
    <>
      <p role="status" className="uploads-spoken">
        {records.length > 0 ? summaryAnnouncement(counts, interruption) : ''}
      </p>
      {records.length > 0 ? (
        <Panel
          key={path}
          isDashboard={scope === 'background'}
          isAdmin={isAdmin}
          state={state}
          commands={store.getInitialState()}
          records={records}
          counts={counts}
          interruption={interruption}
        />
      ) : null}
    </>
  )
}
