import { X } from 'lucide-react'
import { type DragEvent, memo, useState } from 'react'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { splitName } from '../../ui/file-name.tsx'
import { isFinalizing, progressText } from '../engine/upload-progress.ts'
import { canResume, isActive } from '../engine/upload-state.ts'
import { interruptionMessages } from '../interruption.ts'
import { readDrop } from '../picking/dropped-files.ts'
import { chooseFile } from '../picking/file-picker.ts'
import { useFileChoice } from '../picking/use-file-choice.ts'
import { isFinished } from '../records/record-state.ts'
import type { UploadNeed, UploadRecord, UploadStatus } from '../records/upload-record.ts'
import { isOutOfSpaceFailure } from '../upload-errors.ts'
import { serverFullLink } from '../upload-notices.ts'
import type { UploadActivity, UploadsState } from '../uploads-state.ts'
import { CopyButton } from './link-line.tsx'
import { formatTimeLeft, speedText } from './panel-view.ts'

export interface UploadItemProps {
  record: UploadRecord
  /** Undefined unless the upload is running. */
  activity: UploadActivity | undefined
  /** True if another tab is running the upload. This tab can then only cancel it. */
  isInOtherTab: boolean
  /** True for the administrator, who can free space on the server. */
  isAdmin: boolean
  /** True to show a button that copies the link of a running upload. */
  hasLinks: boolean
  commands: Pick<UploadsState, 'cancel' | 'resume' | 'provideFile'>
}

const badgeLabels: Record<UploadStatus, string> = {
  pending: 'Pending',
  uploading: 'Uploading',
  paused: 'Paused',
  completed: 'Completed',
  failed: 'Failed',
}

function getBadgeLabel(record: UploadRecord): string {
  return record.status === 'uploading' && isFinalizing(record)
    ? 'Finalizing'
    : badgeLabels[record.status]
}

const needMessages: Record<Exclude<UploadNeed, 'file' | null>, string> = {
  permission: 'Your browser will ask whether Mayfly may read the file again.',
  'sign-in': 'You were signed out. Sign in to resume the upload where it stopped.',
}

function NeedNote({ need }: { need: Exclude<UploadNeed, null> }) {
  return (
    <p className="upload-note">
      {need === 'file' ? (
        <>
          Choose the same file again<span className="upload-drop">, or drop it here</span>, to
          resume the upload where it stopped.
        </>
      ) : (
        needMessages[need]
      )}
    </p>
  )
}

/** The file name, truncated in the middle. The tooltip and screen readers get the full name. */
function UploadName({ name }: { name: string }) {
  const { head, tail } = splitName(name)
  return (
    <>
      <span className="uploads-spoken">{name}</span>
      <span className="upload-name" title={name} aria-hidden="true" dir="auto">
        <span>{head}</span>
        <span>{tail}</span>
      </span>
    </>
  )
}

/** A progress bar for one upload or for the whole panel. */
export function UploadBar(props: {
  label: string
  percent: number
  tone: 'accent' | 'quiet'
  /** The text that screen readers announce instead of the percentage, worded as in spec §4. */
  text?: string | undefined
}) {
  return (
    <div
      className="uploads-bar"
      role="progressbar"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={props.percent}
      aria-valuetext={props.text}
      data-tone={props.tone}
    >
      <span style={{ width: `${props.percent}%` }} />
    </div>
  )
}

function ProgressFigures({ record, activity }: Pick<UploadItemProps, 'record' | 'activity'>) {
  const { status, fileSize } = record
  const percentText = `${Math.floor(record.progress)}%`
  if (status === 'paused') return <span>{percentText} · Upload paused</span>
  // A pending upload is interrupted if its get-upload-url call has failed.
  if (isActive(record) && activity?.interruption) {
    return (
      <span>
        {percentText} ·{' '}
        <span className="upload-interrupted">{interruptionMessages[activity.interruption]}</span>
      </span>
    )
  }
  if (status !== 'uploading') {
    return (
      <>
        <span>{percentText}</span>
        {status === 'failed' ? null : <span>{formatSize(fileSize)}</span>}
      </>
    )
  }
  const bytesPerSecond = activity?.bytesPerSecond ?? null
  const speedLabel = speedText(bytesPerSecond)
  const timeLeftText = formatTimeLeft(record, bytesPerSecond)
  return (
    <>
      <span>
        {percentText}
        {speedLabel === null ? '' : ` · ${speedLabel}`}
      </span>
      {timeLeftText === null ? null : <span>{timeLeftText}</span>}
    </>
  )
}

/** Handles drops on an upload that needs its file. The page handles all other drops. */
function useFileDrop(isEnabled: boolean, onDrop: (dataTransfer: DataTransfer) => void) {
  const [isDraggedOver, setDraggedOver] = useState(false)
  if (!isEnabled) return { isDraggedOver: false, handlers: {} }
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return {
    isDraggedOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy' as const
        setDraggedOver(true)
      },
      onDragLeave: () => setDraggedOver(false),
      onDrop: (event: DragEvent) => {
        setDraggedOver(false)
        if (!hasFiles(event)) return
        // Tells the page that this drop has been handled.
        event.preventDefault()
        onDrop(event.dataTransfer)
      },
    },
  }
}

function UploadItemContent(props: UploadItemProps) {
  const { record, activity, isInOtherTab, isAdmin, hasLinks, commands } = props
  const { id, fileName, status, need, ticket } = record
  const helpLink = isOutOfSpaceFailure(record) ? serverFullLink(isAdmin) : null
  const isResumable = canResume(record) && !isInOtherTab
  const needsFile = isResumable && need === 'file'
  const { error: fileError, choose } = useFileChoice((picked) => commands.provideFile(id, picked))
  // A dropped file can be read without the missing permission.
  const canDrop = needsFile || (isResumable && need === 'permission')
  const drop = useFileDrop(canDrop, ({ items }) => void choose(readDrop(items)))
  const resumeLabel = status === 'paused' ? 'Resume' : 'Try again'
  const resume = () => (needsFile ? void choose(chooseFile()) : commands.resume(id))

  return (
    <div data-dropping={drop.isDraggedOver || undefined} {...drop.handlers} className="upload-body">
      <div className="upload-top">
        <UploadName name={fileName} />
        <span className="upload-badge">{getBadgeLabel(record)}</span>
      </div>
      <UploadBar
        label={fileName}
        percent={Math.floor(record.progress)}
        tone={status === 'uploading' || status === 'completed' ? 'accent' : 'quiet'}
        text={status === 'uploading' ? progressText(record) : undefined}
      />
      <div className="upload-foot">
        <ProgressFigures record={record} activity={activity} />
        {status === 'paused' && isResumable && need === 'sign-in' ? (
          // Opens in a new tab, because this one has the file in memory.
          <a className="upload-act" href="/login" target="_blank" rel="noreferrer">
            Sign in
          </a>
        ) : null}
        {isResumable ? (
          <button
            type="button"
            className="upload-act"
            aria-label={`${resumeLabel}: ${fileName}`}
            onClick={resume}
          >
            {resumeLabel}
          </button>
        ) : null}
        {helpLink ? (
          // Opens in a new tab, because this one holds uploads' files in memory.
          <a className="upload-act" href={helpLink.href} target="_blank" rel="noreferrer">
            {helpLink.text}
          </a>
        ) : null}
        {hasLinks && status === 'uploading' && ticket?.shortCode ? (
          <CopyButton shortCode={ticket.shortCode} name={`link of ${fileName}`} />
        ) : null}
        {isFinished(record) ? null : (
          <button
            type="button"
            className="upload-cancel"
            aria-label={`Cancel ${fileName}`}
            title="Cancel"
            onClick={() => commands.cancel(id)}
          >
            <X aria-hidden="true" strokeWidth={1.6} />
          </button>
        )}
      </div>
      {fileError && canDrop ? (
        <p role="alert" className="upload-note upload-error">
          {fileError.title}: {fileError.description}
        </p>
      ) : null}
      {record.error === null ? null : <p className="upload-note upload-error">{record.error}</p>}
      {isResumable && need !== null ? <NeedNote need={need} /> : null}
    </div>
  )
}

/** One upload in the panel (spec §2). */
export const UploadItem = memo(UploadItemContent)
