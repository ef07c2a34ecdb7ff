import { CircleAlert, X } from 'lucide-react'
import { useStore } from 'zustand'
import { useSupportEmail } from '../../api/public-values.ts'
import { useCurrentUser } from '../../api/use-current-user.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FileName } from '../../ui/file-name.tsx'
import { canResume } from '../engine/upload-state.ts'
import { chooseFile } from '../picking/file-picker.ts'
import type { PickedFile } from '../picking/picked-file.ts'
import { useFileChoice } from '../picking/use-file-choice.ts'
import type { UploadRecord } from '../records/upload-record.ts'
import { isCancelled, isOutOfSpaceFailure } from '../upload-errors.ts'
import type { UploadsStore } from '../uploads-state.ts'

/** The maximum number of failures listed. The rest are only counted. */
const maxShownFailures = 50

function hasFailed(record: UploadRecord) {
  return record.path === 'foreground' && record.status === 'failed' && !isCancelled(record)
}

/**
 * Lists failed foreground uploads with their errors until they are retried or dismissed. Also shows
 * the inline error (spec §5).
 */
export function UploadProblems({ store }: { store: UploadsStore }) {
  const { records, otherTabIds, inlineError, ...commands } = useStore(store)
  const failedUploads = records.filter((record) => hasFailed(record) && !otherTabIds.has(record.id))
  const dismiss = () => {
    for (const { id } of failedUploads) commands.cancel(id)
    commands.dismissInlineError()
  }
  const retry = ({ id, error }: UploadRecord, picked: PickedFile | null) => {
    if (error === inlineError) commands.dismissInlineError()
    if (picked === null) commands.resume(id)
    else commands.provideFile(id, picked)
  }
  if (failedUploads.length === 0 && inlineError === null) return null
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
        {failedUploads.slice(0, maxShownFailures).map((record) => (
          <FailedUpload
            key={record.id}
            record={record}
            isErrorShown={record.error === inlineError}
            onResume={() => retry(record, null)}
            onFile={(picked) => retry(record, picked)}
          />
        ))}
      </ul>
      {failedUploads.some(isOutOfSpaceFailure) ? <SupportContact /> : null}
      {failedUploads.length > maxShownFailures ? (
        <p className="px-4 pt-1.5 text-muted text-sm tabular-nums sm:px-5">
          And {failedUploads.length - maxShownFailures} more
        </p>
      ) : null}
    </Card>
  )
}

interface FailedUploadProps {
  record: UploadRecord
  /** True if the card already shows this error above the list. */
  isErrorShown: boolean
  onResume: () => void
  onFile: (picked: PickedFile) => void
}

/**
 * A failed upload with its error. 'Try again' asks for the file if the browser no longer has it,
 * and is hidden for permanent failures.
 */
function FailedUpload({ record, isErrorShown, onResume, onFile }: FailedUploadProps) {
  const { fileName, error, need } = record
  const { error: fileError, choose } = useFileChoice(onFile)
  const needsFile = need === 'file'
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-1.5 sm:px-5">
      <div className="min-w-0 flex-1">
        <FileName name={fileName} />
        {isErrorShown ? null : <p className="text-muted text-sm wrap-anywhere">{error}</p>}
        {needsFile ? (
          <p className="text-muted text-sm">You will be asked to choose the same file again.</p>
        ) : null}
        {needsFile && fileError ? (
          <p role="alert" className="text-red text-sm wrap-anywhere">
            {fileError.title}: {fileError.description}
          </p>
        ) : null}
      </div>
      {canResume(record) ? (
        <Button size="small" onClick={() => (needsFile ? void choose(chooseFile()) : onResume())}>
          Try again<span className="sr-only">: {fileName}</span>
        </Button>
      ) : null}
    </li>
  )
}

/**
 * Tells users whom to contact when the server is full: the support address or, without one, the
 * feedback form. Administrators get a link to the server checks instead.
 */
function SupportContact() {
  const supportEmail = useSupportEmail()
  const { data: user } = useCurrentUser()
  const renderLine = (prefix: string, href: string, label: string) => (
    <p className="px-4 py-1.5 text-sm sm:px-5">
      {prefix}{' '}
      <a className="font-[560] underline" href={href}>
        {label}
      </a>
    </p>
  )
  if (user?.isAdmin) return renderLine('You run this server:', '/admin#checks', 'see its checks')
  if (supportEmail === undefined) return null
  return supportEmail === null
    ? renderLine('Support:', '/feedback', 'write to the operator')
    : renderLine('Support:', `mailto:${supportEmail}`, supportEmail)
}
