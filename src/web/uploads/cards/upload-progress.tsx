import { CircleCheck } from 'lucide-react'
import { useStore } from 'zustand'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { shortName } from '../../ui/file-name.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { overallPercent, progressAnnouncement, progressText } from '../engine/upload-progress.ts'
import { isActive } from '../engine/upload-state.ts'
import { type Interruption, interruptionMessages } from '../interruption.ts'
import { LinkLine, sharedShortCode } from '../panel/link-line.tsx'
import '../panel/uploads-panel.css'
import type { UploadRecord } from '../records/upload-record.ts'
import { cancelledText, isCancelled } from '../upload-errors.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'

/** Longer names are truncated in the middle to keep the status text readable. */
const maxNameLength = 60

export interface ForegroundBatch {
  /**
   * All uploads in the drops that are in progress. If none is, all uploads in the most recent drop.
   * Excludes cancelled uploads, and paused ones, which the uploads panel shows.
   */
  batch: readonly UploadRecord[]
  /** The upload named in the progress text; undefined if none is pending or running. */
  current: UploadRecord | undefined
}

/** Selects this tab's foreground uploads for display (spec §4). */
export function selectForegroundBatch({
  records,
  otherTabIds,
}: Pick<UploadsState, 'records' | 'otherTabIds'>): ForegroundBatch {
  const isShown = (record: UploadRecord) =>
    record.path === 'foreground' && record.status !== 'paused' && !isCancelled(record)
  const visibleUploads = records.filter((record) => isShown(record) && !otherTabIds.has(record.id))
  const inProgress = visibleUploads.filter(isActive)
  const shownUploads = inProgress.length > 0 ? inProgress : visibleUploads.slice(-1)
  const batchIds = new Set(shownUploads.map((record) => record.batch))
  const batch = visibleUploads.filter((record) => batchIds.has(record.batch))
  const current = inProgress.find(({ status }) => status === 'uploading') ?? inProgress[0]
  return { batch, current }
}

function bytesText(batch: readonly UploadRecord[]): string {
  const nonFailedUploads = batch.filter(({ status }) => status !== 'failed')
  const formatTotal = (field: 'uploadedBytes' | 'fileSize') =>
    formatSize(nonFailedUploads.reduce((total, record) => total + record[field], 0))
  return `${formatTotal('uploadedBytes')} of ${formatTotal('fileSize')}`
}

interface RunningBatchProps {
  batch: readonly UploadRecord[]
  current: UploadRecord
  interruption: Interruption | null
  onCancel: () => void
}

function RunningBatch({ batch, current, interruption, onCancel }: RunningBatchProps) {
  const percent = overallPercent(batch)
  const upload = { ...current, fileName: shortName(current.fileName, maxNameLength) }
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <p className="min-w-0 py-1 font-[540] tabular-nums wrap-anywhere">{progressText(upload)}</p>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <ProgressBar label="Overall progress" value={percent} />
      <div className="flex justify-between gap-4 text-muted text-sm tabular-nums">
        <span>
          {batch.length > 1 ? `File ${batch.indexOf(current) + 1} of ${batch.length} · ` : ''}
          {bytesText(batch)}
          {interruption ? (
            <span className="text-amber"> · {interruptionMessages[interruption]}</span>
          ) : null}
        </span>
        <span>{percent}%</span>
      </div>
    </>
  )
}

/** The progress bar is full if all files are stored. */
function BatchOutcome({ outcome, isComplete }: { outcome: string; isComplete: boolean }) {
  return (
    <>
      <p className="flex items-center gap-2 py-1 font-[540]">
        {isComplete ? <CircleCheck aria-hidden="true" className="size-[18px] text-accent" /> : null}
        {outcome}
      </p>
      {isComplete ? <ProgressBar label="Overall progress" value={100} /> : null}
    </>
  )
}

function liveText(current: UploadRecord | undefined, activity: UploadsState['activity']): string {
  if (!current || !isActive(current)) return ''
  const interruption = activity[current.id]?.interruption
  if (interruption) return interruptionMessages[interruption]
  return current.status === 'uploading' ? progressAnnouncement(current) : ''
}

/**
 * Shows the progress or the outcome of foreground uploads (spec §4), with a shorter text for screen
 * readers. Renders nothing if there are no uploads to show.
 */
export function UploadProgress({ store }: { store: UploadsStore }) {
  const state = useStore(store)
  const { activity, outcome, cancelForeground } = state
  const { batch, current } = selectForegroundBatch(state)
  const shortCode = sharedShortCode(batch)
  return (
    <>
      <p role="status" className="sr-only">
        {current ? liveText(current, activity) : (outcome ?? '')}
      </p>
      {current || outcome !== null ? (
        <Card className="mb-4 grid gap-2.5 p-4 sm:px-5">
          {current ? (
            <RunningBatch
              batch={batch}
              current={current}
              interruption={activity[current.id]?.interruption ?? null}
              onCancel={cancelForeground}
            />
          ) : (
            <BatchOutcome
              outcome={outcome ?? ''}
              isComplete={
                outcome !== cancelledText && batch.every(({ status }) => status === 'completed')
              }
            />
          )}
          {shortCode === null ? null : (
            <LinkLine shortCode={shortCode} isComplete={current === undefined} />
          )}
        </Card>
      ) : null}
    </>
  )
}
