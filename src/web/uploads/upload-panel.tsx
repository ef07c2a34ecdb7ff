import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import { formatSize } from '../../shared/rules/file-size.ts'
import { FileName } from '../files/file-name.tsx'
import { shortName } from '../files/split-name.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { overallPercent, progressText, spokenProgress } from './upload-progress.ts'
import type { Upload } from './upload-queue.ts'
import { useUploadQueue } from './use-upload-queue.ts'

/** A status text stays readable: a longer name is cut in the middle. */
const statusNameLength = 60

const interruptedText = 'Connection lost, trying again'

const spokenText = (upload: Upload | undefined): string => {
  if (!upload) return ''
  return upload.interrupted ? interruptedText : spokenProgress(upload)
}

const bytesText = (uploads: readonly Upload[]): string => {
  const counted = uploads.filter(({ status }) => status !== 'failed')
  const sum = (of: (upload: Upload) => number) =>
    formatSize(counted.reduce((total, upload) => total + of(upload), 0))
  return `${sum(({ sent }) => sent)} of ${sum(({ size }) => size)}`
}

const Running = ({ uploads, onCancel }: { uploads: readonly Upload[]; onCancel: () => void }) => {
  const current =
    uploads.find(({ status }) => status === 'uploading') ??
    uploads.findLast(({ status }) => status === 'completed') ??
    uploads.find(({ status }) => status === 'pending')
  if (!current) return null
  const overall = overallPercent(uploads)
  const shown = { ...current, name: shortName(current.name, statusNameLength) }
  const place = uploads.indexOf(current) + 1
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <p className="min-w-0 py-1 font-[540] tabular-nums wrap-anywhere">{progressText(shown)}</p>
        <Button size="small" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <ProgressBar label="Overall progress" value={overall} />
      <div className="flex justify-between gap-4 text-muted text-sm tabular-nums">
        <span>
          {uploads.length > 1 ? `File ${place} of ${uploads.length} · ` : ''}
          {bytesText(uploads)}
          {current.interrupted ? <span className="text-amber"> · {interruptedText}</span> : null}
        </span>
        <span>{overall}%</span>
      </div>
    </>
  )
}

const Ended = ({ outcome, percent }: { outcome: string; percent: number }) => (
  <>
    <p className="flex items-center gap-2 py-1 font-[540]">
      {percent === 100 ? (
        <CircleCheck aria-hidden="true" className="size-[18px] text-accent" />
      ) : null}
      {outcome}
    </p>
    <ProgressBar
      label="Overall progress"
      value={percent}
      tone={percent === 100 ? 'accent' : 'quiet'}
    />
  </>
)

/**
 * The progress of the running batch and how it ended (spec §4); nothing otherwise. A screen reader
 * hears a shorter account of it.
 */
export const UploadProgress = () => {
  const { uploads, running, outcome, cancel } = useUploadQueue(
    useShallow(({ uploads, running, outcome, cancel }) => ({ uploads, running, outcome, cancel })),
  )
  const current = uploads.find(({ status }) => status === 'uploading')
  const spoken = running ? spokenText(current) : (outcome ?? '')
  const isShown = running || outcome !== null
  return (
    <>
      <p role="status" className="sr-only">
        {spoken}
      </p>
      {isShown ? (
        <Card className="mb-4 grid gap-2.5 p-4 sm:px-5">
          {running ? (
            <Running uploads={uploads} onCancel={cancel} />
          ) : (
            <Ended outcome={outcome ?? ''} percent={overallPercent(uploads)} />
          )}
        </Card>
      ) : null}
    </>
  )
}

/** What was not uploaded and why, until it is tried again or dismissed, with the error of spec §5. */
export const UploadProblems = () => {
  const { unsent, inlineError, tryAgain, dismiss } = useUploadQueue(
    useShallow(({ unsent, inlineError, tryAgain, dismiss }) => ({
      unsent,
      inlineError,
      tryAgain,
      dismiss,
    })),
  )
  if (unsent.length === 0 && inlineError === null) return null
  return (
    <Card className="mb-4 py-3">
      <div className="flex items-start justify-between gap-3 px-4 sm:pr-4 sm:pl-5">
        {inlineError === null ? (
          <h2 className="py-2 text-base">Not uploaded</h2>
        ) : (
          <p role="alert" className="flex gap-2.5 py-1.5 text-red wrap-anywhere">
            <CircleAlert aria-hidden="true" className="mt-0.5 size-[18px] shrink-0" />
            {inlineError}
          </p>
        )}
        <IconButton label="Dismiss" icon={<X />} onClick={dismiss} />
      </div>
      <ul className="max-h-80 overflow-y-auto">
        {unsent.map(({ id, name, reason, again }) => (
          <li key={id} className="flex items-center justify-between gap-4 px-4 py-1.5 sm:px-5">
            <div className="min-w-0 flex-1">
              <FileName name={name} />
              {reason === inlineError ? null : (
                <p className="text-muted text-sm wrap-anywhere">{reason}</p>
              )}
            </div>
            {again ? (
              <Button size="small" onClick={() => tryAgain(id)}>
                Try again<span className="sr-only">: {name}</span>
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </Card>
  )
}
