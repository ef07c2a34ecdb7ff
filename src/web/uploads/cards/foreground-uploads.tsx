import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { formatSize } from '../../../shared/rules/format/file-size.ts'
import { useSupportEmail } from '../../api/public-values.ts'
import { useCurrentUser } from '../../api/use-current-user.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FileName, shortName } from '../../ui/file-name.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { canResume, isUnderWay } from '../engine/upload-machine.ts'
import {
  overallPercent,
  progressText,
  shareOf,
  spokenProgress,
  type UploadShare,
} from '../engine/upload-progress.ts'
import { type Interruption, interruptionTexts } from '../interruption.ts'
import { chooseFile } from '../picking/choose-file.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import { useGivenFile } from '../picking/use-given-file.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { cancelledByUser, failedForSpace, isCancelled } from '../upload-errors.ts'
import type { UploadsState, UploadsStore } from '../uploads-state.ts'
import { foregroundBatch } from './foreground-batch.ts'

/** A longer name is cut in the middle, so that the status text stays readable. */
const statusNameLength = 60

/** The list shows at most this many failures. Further ones are only counted. */
const mostShown = 50

function bytesText(shares: readonly UploadShare[]): string {
  const counted = shares.filter(({ status }) => status !== 'failed')
  const sum = (of: (share: UploadShare) => number) =>
    formatSize(counted.reduce((total, share) => total + of(share), 0))
  return `${sum(({ sent }) => sent)} of ${sum(({ size }) => size)}`
}

interface RunningProps {
  batch: readonly UploadRecord[]
  current: UploadRecord
  interrupted: Interruption | null
  onCancel: () => void
}

function Running({ batch, current, interrupted, onCancel }: RunningProps) {
  const shares = batch.map(shareOf)
  const overall = overallPercent(shares)
  const shown = { ...shareOf(current), name: shortName(current.fileName, statusNameLength) }
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
          {batch.length > 1 ? `File ${batch.indexOf(current) + 1} of ${batch.length} · ` : ''}
          {bytesText(shares)}
          {interrupted ? (
            <span className="text-amber"> · {interruptionTexts[interrupted]}</span>
          ) : null}
        </span>
        <span>{overall}%</span>
      </div>
    </>
  )
}

/** Shows how a batch of uploads ended. It has a progress bar only if all files are stored. */
function Ended({ outcome, isWhole }: { outcome: string; isWhole: boolean }) {
  return (
    <>
      <p className="flex items-center gap-2 py-1 font-[540]">
        {isWhole ? <CircleCheck aria-hidden="true" className="size-[18px] text-accent" /> : null}
        {outcome}
      </p>
      {isWhole ? <ProgressBar label="Overall progress" value={100} /> : null}
    </>
  )
}

function spokenText(current: UploadRecord | undefined, live: UploadsState['live']): string {
  if (!current || !isUnderWay(current)) return ''
  const interrupted = live[current.id]?.interrupted
  if (interrupted) return interruptionTexts[interrupted]
  return current.status === 'uploading' ? spokenProgress(shareOf(current)) : ''
}

/**
 * Shows the progress of the running foreground uploads, or how they ended (spec §4). Shows nothing
 * when no foreground upload runs and `outcome` is null. A screen reader gets a shorter text.
 */
export function UploadProgress({ store }: { store: UploadsStore }) {
  const { records, live, outcome, cancelForeground } = useStore(
    store,
    useShallow(({ records, live, outcome, cancelForeground }: UploadsState) => ({
      records,
      live,
      outcome,
      cancelForeground,
    })),
  )
  const { batch, current } = foregroundBatch(records, live)
  return (
    <>
      <p role="status" className="sr-only">
        {current ? spokenText(current, live) : (outcome ?? '')}
      </p>
      {current || outcome !== null ? (
        <Card className="mb-4 grid gap-2.5 p-4 sm:px-5">
          {current ? (
            <Running
              batch={batch}
              current={current}
              interrupted={live[current.id]?.interrupted ?? null}
              onCancel={cancelForeground}
            />
          ) : (
            <Ended
              outcome={outcome ?? ''}
              isWhole={
                outcome !== cancelledByUser && batch.every(({ status }) => status === 'completed')
              }
            />
          )}
        </Card>
      ) : null}
    </>
  )
}

function hasFailed(record: UploadRecord) {
  return record.path === 'foreground' && record.status === 'failed' && !isCancelled(record)
}

/**
 * Shows the foreground uploads that failed and why, until they are tried again or dismissed. Also
 * shows the inline error of spec §5.
 */
export function UploadProblems({ store }: { store: UploadsStore }) {
  const failed = useStore(
    store,
    useShallow(({ records }: UploadsState) => records.filter(hasFailed)),
  )
  const { inlineError, resume, provideFile, cancel, dismissInlineError } = useStore(
    store,
    useShallow((state: UploadsState) => ({
      inlineError: state.inlineError,
      resume: state.resume,
      provideFile: state.provideFile,
      cancel: state.cancel,
      dismissInlineError: state.dismissInlineError,
    })),
  )
  const dismiss = () => {
    for (const { id } of failed) cancel(id)
    dismissInlineError()
  }
  const tryAgain = ({ id, error }: UploadRecord, picked: PickedFile | null) => {
    if (error === inlineError) dismissInlineError()
    if (picked === null) resume(id)
    else provideFile(id, picked)
  }
  if (failed.length === 0 && inlineError === null) return null
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
        {failed.slice(0, mostShown).map((record) => (
          <FailedUpload
            key={record.id}
            record={record}
            isTold={record.error === inlineError}
            onResume={() => tryAgain(record, null)}
            onFile={(picked) => tryAgain(record, picked)}
          />
        ))}
      </ul>
      {failed.some(failedForSpace) ? <SupportAddress /> : null}
      {failed.length > mostShown ? (
        <p className="px-4 pt-1.5 text-muted text-sm tabular-nums sm:px-5">
          And {failed.length - mostShown} more
        </p>
      ) : null}
    </Card>
  )
}

interface FailedUploadProps {
  record: UploadRecord
  /** True where the card says the error above the list already. */
  isTold: boolean
  onResume: () => void
  onFile: (picked: PickedFile) => void
}

/**
 * A failed upload with its error. The button 'Try again' first asks for the file if the browser
 * lacks it. An upload that would fail again has no such button.
 */
function FailedUpload({ record, isTold, onResume, onFile }: FailedUploadProps) {
  const { fileName, error, need } = record
  const { fault, give } = useGivenFile(onFile)
  const needsFile = need === 'file'
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-1.5 sm:px-5">
      <div className="min-w-0 flex-1">
        <FileName name={fileName} />
        {isTold ? null : <p className="text-muted text-sm wrap-anywhere">{error}</p>}
        {needsFile ? (
          <p className="text-muted text-sm">Try again asks for the same file once more.</p>
        ) : null}
        {needsFile && fault ? (
          <p role="alert" className="text-red text-sm wrap-anywhere">
            {fault.title}: {fault.description}
          </p>
        ) : null}
      </div>
      {canResume(record) ? (
        <Button size="small" onClick={() => (needsFile ? void give(chooseFile()) : onResume())}>
          Try again<span className="sr-only">: {fileName}</span>
        </Button>
      ) : null}
    </li>
  )
}

/**
 * Shows whom a person can tell that the server is full: the support address, or the operator by the
 * feedback form. The administrator can make room and gets a link to the checks instead.
 */
function SupportAddress() {
  const supportEmail = useSupportEmail()
  const { data: user } = useCurrentUser()
  const way = (before: string, href: string, label: string) => (
    <p className="px-4 py-1.5 text-sm sm:px-5">
      {before}{' '}
      <a className="font-[560] underline" href={href}>
        {label}
      </a>
    </p>
  )
  if (user?.isAdmin) return way('You run this server:', '/admin#checks', 'see its checks')
  if (supportEmail === undefined) return null
  return supportEmail === null
    ? way('Support:', '/feedback', 'write to the operator')
    : way('Support:', `mailto:${supportEmail}`, supportEmail)
}
