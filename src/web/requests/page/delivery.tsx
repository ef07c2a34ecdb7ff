import { CircleCheck, Upload, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { maxSenderNameLength, requests } from '../../../shared/contract/requests.ts'
import { formatSize, formatSizeLimit } from '../../../shared/rules/format/file-size.ts'
import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { defaultExpirationDays } from '../../../shared/rules/links/lifetime.ts'
import { maxLinkMessageLength } from '../../../shared/rules/links/link-limits.ts'
import {
  countByStatus,
  getOverallInterruption,
  getPanelRecords,
  summaryAnnouncement,
  summaryText,
} from '../../uploads/panel/panel-view.ts'
import { UploadBar } from '../../uploads/panel/upload-item.tsx'
import { UploadList, type UploadListProps } from '../../uploads/panel/upload-list.tsx'
import { useThrottledUploads } from '../../uploads/panel/use-throttled-uploads.ts'
import { type Drop, dropError } from '../../uploads/picking/dropped-files.ts'
import { FileInput } from '../../uploads/picking/file-input.tsx'
import type { PickedFile } from '../../uploads/picking/picked-file.ts'
import { usePageFiles } from '../../uploads/picking/use-page-files.ts'
import type { RecordLink, UploadRecord } from '../../uploads/records/upload-record.ts'
import type { UploadsStore } from '../../uploads/uploads-state.ts'

/** What the page knows about its request. */
export interface RequestFacts {
  /** The name of the user who asks for files. Empty if the request has closed. */
  requester: string
  /** Of each file, in bytes. */
  maxFileSize: number
  /** How many files a delivery can have. If 0, the page itself says so. */
  maxFiles: number
}

export interface DeliveryProps {
  store: UploadsStore
  request: RequestFacts
  /** Called when the sender wants to send more and the list of sent files has been cleared. */
  onCleared: () => void
}

const noDetails = { senderName: '', message: '' }

const detailsSchema = requests.createDelivery.body.pick({ senderName: true, message: true })

/** Returns the name and message to send. Empty ones are left out. */
function toLink({ senderName, message }: typeof noDetails): RecordLink {
  return { senderName: senderName.trim() || undefined, message: message.trim() || undefined }
}

/** Lets a sender choose files, shows their progress, and confirms what was sent. */
export function Delivery({ store, request, onCleared }: DeliveryProps) {
  const state = useThrottledUploads(store)
  const { records } = state
  const [picked, setPicked] = useState<readonly PickedFile[]>([])
  const [details, setDetails] = useState(noDetails)
  const [problem, setProblem] = useState<string | null>(null)
  const stage = deliveryStage(records)
  const headingRef = useRef<HTMLHeadingElement>(null)
  const lastStageRef = useRef(stage)
  // The pressed button is removed with its stage.
  useEffect(() => {
    if (lastStageRef.current !== stage) headingRef.current?.focus()
    lastStageRef.current = stage
  }, [stage])

  const upload = (files: readonly PickedFile[], link: RecordLink) =>
    state.add(files, defaultExpirationDays, link)
  const addFiles = (drop: Drop) => {
    const { accepted, error } = acceptFiles(drop, request)
    setProblem(error)
    if (accepted.length === 0) return
    // Files that are dropped while others are being sent join them, or resume a paused upload.
    if (stage === 'sending') upload(accepted, records.at(-1)?.link ?? {})
    else setPicked([...picked, ...accepted])
    if (stage === 'sent') state.clear()
  }
  const send = () => {
    upload(picked, toLink(details))
    setPicked([])
    setProblem(null)
  }
  const isDragging = usePageFiles(addFiles)

  return (
    <>
      {stage === 'choosing' && request.maxFiles > 0 ? (
        <>
          <DropZone
            isDragging={isDragging}
            isPrimary={picked.length === 0}
            headingRef={headingRef}
            onFiles={addFiles}
          />
          <Problem text={problem} />
          {picked.length > 0 ? (
            <DeliveryForm
              picked={picked}
              maxFiles={request.maxFiles}
              details={details}
              onDetails={setDetails}
              onRemove={(file) => setPicked(picked.filter((other) => other !== file))}
              onSend={send}
            />
          ) : null}
        </>
      ) : null}
      {stage === 'sending' ? (
        <>
          <Problem text={problem} />
          <Sending state={state} commands={store.getInitialState()} headingRef={headingRef} />
        </>
      ) : null}
      {stage === 'sent' ? (
        <Sent
          records={records}
          requester={request.requester}
          headingRef={headingRef}
          onMore={() => {
            state.clear()
            onCleared()
          }}
        />
      ) : null}
    </>
  )
}

type Stage = 'choosing' | 'sending' | 'sent'

function deliveryStage(records: readonly UploadRecord[]): Stage {
  if (records.length === 0) return 'choosing'
  return records.every(({ status }) => status === 'completed') ? 'sent' : 'sending'
}

/** Returns the files within the request's limit, and the error to show for the others. */
export function acceptFiles(drop: Drop, { maxFileSize }: Pick<RequestFacts, 'maxFileSize'>) {
  const accepted = drop.files.filter(({ file }) => file.size <= maxFileSize)
  const [tooLarge, ...others] = drop.files.filter(({ file }) => file.size > maxFileSize)
  const unreadable = dropError(drop)
  const limit = formatSizeLimit(maxFileSize)
  if (tooLarge && others.length > 0) {
    return { accepted, error: `${others.length + 1} files are larger than ${limit}.` }
  }
  if (tooLarge) return { accepted, error: `${tooLarge.file.name} is larger than ${limit}.` }
  return { accepted, error: unreadable && `${unreadable.title}: ${unreadable.description}` }
}

function Problem({ text }: { text: string | null }) {
  return (
    <div role="alert">{text === null ? null : <p className="error wrap-anywhere">{text}</p>}</div>
  )
}

interface StageProps {
  headingRef: React.RefObject<HTMLHeadingElement | null>
}

interface DropZoneProps extends StageProps {
  isDragging: boolean
  isPrimary: boolean
  onFiles: (drop: Drop) => void
}

function DropZone({ isDragging, isPrimary, headingRef, onFiles }: DropZoneProps) {
  const inputRef = useRef<HTMLInputElement>(null)
  return (
    <section className="drop" data-dropping={isDragging || undefined} aria-labelledby="drop-title">
      <Upload size={28} strokeWidth={1.6} aria-hidden="true" />
      <h2 id="drop-title" ref={headingRef} tabIndex={-1}>
        <span className="can-drag">Drop files or folders here</span>
        <span className="cannot-drag">Choose what to send</span>
      </h2>
      <FileInput label="Files to send" onFiles={onFiles} inputRef={inputRef} />
      <button
        className={`button ${isPrimary ? '' : 'quiet'}`}
        type="button"
        onClick={() => inputRef.current?.click()}
      >
        {isPrimary ? 'Choose files' : 'Add more files'}
      </button>
    </section>
  )
}

interface DeliveryFormProps {
  /** At least one. */
  picked: readonly PickedFile[]
  maxFiles: number
  details: typeof noDetails
  onDetails: (details: typeof noDetails) => void
  onRemove: (file: PickedFile) => void
  onSend: () => void
}

const detailsErrorText = 'Use plain text for your name and message, or leave them empty.'

function DeliveryForm(props: DeliveryFormProps) {
  const { picked, maxFiles, details, onDetails, onRemove, onSend } = props
  const [hasInvalidDetails, setInvalidDetails] = useState(false)
  const isTooMany = picked.length > maxFiles
  const totalSize = picked.reduce((sum, { file }) => sum + file.size, 0)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const isValid = detailsSchema.safeParse(toLink(details)).success
        setInvalidDetails(!isValid)
        if (isValid && !isTooMany) onSend()
      }}
    >
      <ul className="names" aria-label="Files to send">
        {picked.map((pickedFile, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a file can be chosen twice
          <li key={index}>
            <b dir="auto">{pickedFile.file.name}</b>
            <span>{formatSize(pickedFile.file.size)}</span>
            <button
              className="icon"
              type="button"
              aria-label={`Remove ${pickedFile.file.name}`}
              onClick={() => onRemove(pickedFile)}
            >
              <X size={18} strokeWidth={1.6} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <label htmlFor="sender-name">Your name (optional)</label>
      <input
        id="sender-name"
        autoComplete="name"
        maxLength={maxSenderNameLength}
        value={details.senderName}
        onChange={({ target }) => onDetails({ ...details, senderName: target.value })}
      />
      <label htmlFor="message">Message (optional)</label>
      <textarea
        id="message"
        rows={2}
        maxLength={maxLinkMessageLength}
        value={details.message}
        onChange={({ target }) => onDetails({ ...details, message: target.value })}
      />
      <Problem text={hasInvalidDetails ? detailsErrorText : null} />
      <Problem
        text={
          isTooMany
            ? `At most ${formatCount(maxFiles, 'file')} can be sent now. Please remove some.`
            : null
        }
      />
      <button className="button" type="submit" disabled={isTooMany}>
        Send {formatCount(picked.length, 'file')} ({formatSize(totalSize)})
      </button>
    </form>
  )
}

interface SendingProps extends StageProps, Pick<UploadListProps, 'state' | 'commands'> {}

function Sending({ state, commands, headingRef }: SendingProps) {
  const records = getPanelRecords(state.records, state.otherTabIds, 'all')
  const counts = countByStatus(records)
  const interruption = getOverallInterruption(records, state.activity)
  const isActive = counts.pending + counts.uploading > 0
  const totalBytes = records.reduce((sum, { fileSize }) => sum + fileSize, 0)
  const sentBytes = records.reduce((sum, { uploadedBytes }) => sum + uploadedBytes, 0)
  return (
    <>
      <p role="status" className="uploads-spoken">
        {summaryAnnouncement(counts, interruption)}
      </p>
      <section className="uploads is-inline" data-open aria-label="Files being sent">
        <div className="uploads-head">
          <h2 ref={headingRef} tabIndex={-1}>
            {summaryText(counts, interruption)}
          </h2>
          <span>
            {formatSize(sentBytes)} of {formatSize(totalBytes)}
          </span>
        </div>
        {isActive ? (
          <UploadBar
            label="All files"
            percent={totalBytes === 0 ? 0 : Math.floor((sentBytes / totalBytes) * 100)}
            tone="accent"
          />
        ) : null}
        <UploadList
          id="sending"
          state={state}
          records={records}
          isAdmin={false}
          hasLinks={false}
          commands={commands}
        />
      </section>
      {isActive || counts.paused > 0 ? (
        <p className="facts muted">
          Keep this page open until everything is sent. It resumes after a lost connection.
        </p>
      ) : (
        <button className="button quiet" type="button" onClick={() => state.clear()}>
          Start again
        </button>
      )}
    </>
  )
}

interface SentProps extends StageProps {
  records: readonly UploadRecord[]
  requester: string
  onMore: () => void
}

function Sent({ records, requester, headingRef, onMore }: SentProps) {
  const totalSize = records.reduce((sum, { fileSize }) => sum + fileSize, 0)
  return (
    <section className="sent" aria-labelledby="sent-title">
      <CircleCheck size={40} strokeWidth={1.6} aria-hidden="true" />
      <h2 id="sent-title" ref={headingRef} tabIndex={-1}>
        Sent
      </h2>
      <p role="status">
        {requester === '' ? (
          'Received: '
        ) : (
          <>
            <bdi>{requester}</bdi> has received{' '}
          </>
        )}
        {formatCount(records.length, 'file')} ({formatSize(totalSize)}).
      </p>
      <ul className="names" aria-label="Sent files">
        {records.map(({ id, fileName, fileSize }) => (
          <li key={id}>
            <b dir="auto">{fileName}</b>
            <span>{formatSize(fileSize)}</span>
          </li>
        ))}
      </ul>
      {requester === '' ? null : (
        <button className="button quiet" type="button" onClick={onMore}>
          Send more files
        </button>
      )}
    </section>
  )
}
